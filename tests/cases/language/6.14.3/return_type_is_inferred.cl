// 6.14.3: The return type is optional and is inferred from the return statements.
// expect: valid
// options: -cl-std=CL2.0
// result: 8 4
kernel void return_type_is_inferred(global int *out) {
    out[0] = sizeof(^(long n) { return n; }(1L));
    out[1] = ^int(int n) { return n + 1; }(3);
}
