// 6.15: __opencl_c_ext_fp64_local_atomic_add, __opencl_c_ext_fp64_local_atomic_min_max: sums, the least and the most.
// expect: valid
// options: -cl-std=CL3.0
// size: 8
// result: 28.0 -28.0 -3.5 3.5
kernel void fp64_local_atomics(global double *out) {
    local atomic_double t[4];
    int i = get_local_id(0);
    if (i < 4) atomic_init(&t[i], (double)0);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    atomic_fetch_add_explicit(&t[0], (double)i, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_sub_explicit(&t[1], (double)i, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_min_explicit(&t[2], (double)(i / -2.0f), memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_max_explicit(&t[3], (double)(i / 2.0f), memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    double v = i < 4 ? atomic_load_explicit(&t[i], memory_order_relaxed, memory_scope_work_group) : (double)0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (i < 4) out[i] = v;
}
