// 6.11: n. half is a storage format only and not a data type on which arithmetic can be performed.
// expect: error "half" at line 5
// without: cl_khr_fp16
kernel void n_half_sum(global float *out, global half *a) {
    out[0] = a[0] + a[1];
}
