// 6.5.9: If all three expressions are scalar values, the C99 rules for the ternary operator are followed.
// expect: valid
// result: 2
struct s { int a; };
kernel void selection_of_structs(global int *out) {
    struct s one = {1}, two = {2};
    int no = 0;
    out[0] = (no ? one : two).a;
}
