// 6.11: a. Pointers to functions are not allowed.
// expect: error "function" at line 5
int f(void) { return 1; }
kernel void a_address_of_a_function(global int *out) {
    out[0] = (int)(long)&f;
}
