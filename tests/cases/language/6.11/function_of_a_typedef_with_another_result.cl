// 6.11: a. Pointers to functions are not allowed; functions are declared by the name of a typedef, too (C99 6.7.5.3).
// expect: error "conflicting types" at line 5
typedef int of_int(int);
of_int half_of;
float half_of(int x) { return x * 0.5f; }
kernel void function_of_a_typedef_with_another_result(global int *out) {
    out[0] = 1;
}
