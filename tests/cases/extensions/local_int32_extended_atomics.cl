// 6.15: cl_khr_local_int32_extended_atomics: atom_min, atom_max, atom_and, atom_or, atom_xor.
// expect: valid
// size: 4
// result: -6 6 8 3 5
kernel void local_int32_extended_atomics(global int *out) {
    local int t[5];
    int i = get_local_id(0);
    if (i == 0) {
        t[0] = t[1] = t[3] = t[4] = 0;
        t[2] = 15;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    atom_min(&t[0], -2 * i);
    atom_max(&t[1], 2 * i);
    atom_and(&t[2], 12 - 4 * (i == 3));
    atom_or(&t[3], i);
    atom_xor(&t[4], i == 1 ? 4 : i == 2 ? 7 : i == 3 ? 6 : 0);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (i == 0) for (int k = 0; k < 5; k++) out[k] = t[k];
}
