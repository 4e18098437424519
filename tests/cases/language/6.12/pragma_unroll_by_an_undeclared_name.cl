// 6.12: A #pragma that is recognised has a meaning: clang's and CUDA's "unroll" takes a constant expression.
// expect: error "use of undeclared identifier 'TIMES'" at line 5
kernel void pragma_unroll_by_an_undeclared_name(global int *out) {
    int sum = 0;
#pragma unroll TIMES
    for (int i = 0; i < 4; i++) sum += i;
    out[0] = sum;
}
