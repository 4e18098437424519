// 6.15: __opencl_c_atomic_order_acq_rel, __opencl_c_atomic_scope_device: who acquires what was released sees what came before.
// expect: valid
// options: -cl-std=CL3.0
// size: 64
// result: 5 1 32
kernel void atomic_order_acq_rel(global int *out) {
    local atomic_int flag;
    local int data;
    if (get_local_id(0) == 0) { atomic_init(&flag, 0); data = 0; }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 32) {
        data = 5;
        atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group)) {
        out[0] = data;
        out[1] = atomic_fetch_add_explicit(&flag, 1, memory_order_acq_rel, memory_scope_device);
    }
    atomic_fetch_add_explicit((global atomic_int *)out + 2, 1, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_sub_explicit((global atomic_int *)out + 2, get_local_id(0) >= 32, memory_order_relaxed, memory_scope_device);
}
