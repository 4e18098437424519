// 6.5.3: The expression must be one that could be assigned to (an l-value).
// expect: error "cannot increment value of type 'struct s'" at line 6
struct s { int a; };
kernel void increment_of_a_struct(global int *out) {
    struct s v = {1};
    v++;
}
