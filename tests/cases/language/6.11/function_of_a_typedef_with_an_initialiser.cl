// 6.11: a. Pointers to functions are not allowed; functions are declared by the name of a typedef, too (C99 6.7.5.3).
// expect: error "illegal initializer" at line 4
typedef int of_int(int);
of_int twice = 2;
kernel void function_of_a_typedef_with_an_initialiser(global int *out) {
    out[0] = 1;
}
