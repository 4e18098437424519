// 6.14.3: The return type is optional and is inferred from the return statements.
// expect: valid
// options: -cl-std=CL2.0
// result: 41
kernel void block_result_inferred(global int *out) {
    out[0] = sizeof(^(char c) { return c; }(1)) + sizeof(^{ return 1.0f; }()) * 10;
}
