// 6.15: cl_khr_local_int32_base_atomics: atom_add, atom_sub, atom_xchg, atom_inc, atom_dec, atom_cmpxchg.
// expect: valid
// size: 4
// result: 6 -6 9 4 -4 1 7
kernel void local_int32_base_atomics(global int *out) {
    local int t[7];
    int i = get_local_id(0);
    for (int k = i; k < 7; k += 4) t[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(&t[0], i);
    atom_sub(&t[1], i);
    if (atom_xchg(&t[2], 9) == 0) atom_inc(&t[5]);
    atom_inc(&t[3]);
    atom_dec(&t[4]);
    atom_cmpxchg(&t[6], 0, 7);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) for (int k = 0; k < 7; k++) out[k] = t[k];
}
