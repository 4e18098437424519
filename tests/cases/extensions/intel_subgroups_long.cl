// 6.15: cl_intel_subgroups_long: shuffles of that type, and block reads and writes.
// expect: valid
// size: 32
// in: 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73
// result: 11 10 13 12 15 14 17 16 19 18 21 20 23 22 25 24 27 26 29 28 31 30 33 32 35 34 37 36 39 38 41 40 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73
kernel void intel_subgroups_long(global int *out, global const ulong *in) {
    int lane = get_sub_group_local_id();
    ulong2 two = intel_sub_group_block_read_ul2(in);
    out[lane] = intel_sub_group_shuffle_xor(two.x, 1);
    out[32 + lane] = two.y;
}
