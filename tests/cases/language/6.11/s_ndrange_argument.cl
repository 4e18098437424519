// 6.11: s. clk_event_t, ndrange_t and reserve_id_t cannot be arguments of kernels.
// expect: error "ndrange_t" at line 4
// options: -cl-std=CL2.0
kernel void s_ndrange_argument(global int *out, ndrange_t n) {
    out[0] = 1;
}
