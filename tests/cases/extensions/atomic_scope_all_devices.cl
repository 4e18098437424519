// 6.15: __opencl_c_atomic_scope_all_devices: operations that other devices and the host see as one.
// expect: valid
// options: -cl-std=CL3.0
// size: 64
// result: 64 63
kernel void atomic_scope_all_devices(global int *out) {
    global atomic_int *sum = (global atomic_int *)out, *most = sum + 1;
    atomic_fetch_add_explicit(sum, 1, memory_order_seq_cst, memory_scope_all_devices);
    atomic_fetch_max_explicit(most, (int)get_local_id(0), memory_order_relaxed, memory_scope_all_svm_devices);
}
