// 6.15: cl_intel_subgroup_local_block_io: block reads and writes of local memory.
// expect: valid
// size: 32
// result: 0 3 6 9 12 15 18 21 24 27 30 33 36 39 42 45 48 51 54 57 60 63 66 69 72 75 78 81 84 87 90 93 96 99 102 105 108 111 114 117 120 123 126 129 132 135 138 141 144 147 150 153 156 159 162 165 168 171 174 177 180 183 186 189
kernel void intel_subgroup_local_block_io(global int *out) {
    local uint t[64];
    int lane = get_sub_group_local_id();
    intel_sub_group_block_write2(t, (uint2)(3 * lane, 3 * (32 + lane)));
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    uint2 two = intel_sub_group_block_read2(t);
    out[lane] = two.x;
    out[32 + lane] = two.y;
}
