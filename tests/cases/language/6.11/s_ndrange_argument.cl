// 6.11: s. clk_event_t, ndrange_t and reserve_id_t cannot be used as arguments to kernel functions that get enqueued from the host.
// expect: valid
// clang: differs because it lets no kernel have a range or a reservation
// result: 1
// options: -cl-std=CL2.0
kernel void only_from_kernels(global int *out, ndrange_t n, reserve_id_t id) {
    out[0] = !is_valid_reserve_id(id);
}
kernel void s_ndrange_argument(global int *out) {
    only_from_kernels(out, ndrange_1D(3), CLK_NULL_RESERVE_ID);
}
