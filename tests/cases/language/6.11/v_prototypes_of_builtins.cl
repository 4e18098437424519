// 6.11: v. The built-in functions are there without a declaration; one that a program repeats is still the built-in function.
// expect: valid
// result: 7 3 5
int printf(constant const char *format, ...);
size_t get_global_id(uint dimension);
int __attribute__((overloadable)) clamp(int x, int low, int high);
float fmin(float x, float y);
kernel void v_prototypes_of_builtins(global int *out) {
    uint popcount(uint x);
    out[get_global_id(0)] = clamp(9, 2, 7);
    out[1] = popcount(11u);
    out[2] = fmin(5.0f, 8.0f);
    if (out[2] != 5) printf("%d\n", out[2]);
}
float fmin(float x, float y) {
    return x < y ? x : y;
}
