// 6.15: cl_khr_subgroup_ballot: the ballot of a sub-group, and what its bits say.
// expect: valid
// size: 32
// result: 3 102 10102 105 204 10204 207 306 10306 309 408 10408 411 510 10510 513 612 10612 615 714 10714 717 816 10816 819 918 10918 921 1020 11020 1023 11122 315011 315011 315011 315011 315011 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018 315018
kernel void subgroup_ballot(global int *out) {
    int lane = get_sub_group_local_id();

    uint4 bits = sub_group_ballot(lane % 3 == 0);
    out[lane] = sub_group_inverse_ballot(bits) + 2 * sub_group_ballot_inclusive_scan(bits) + 100 * sub_group_ballot_exclusive_scan(bits)
        + 10000 * sub_group_ballot_bit_extract(bits, (lane + 1) % 32);
    out[32 + lane] = sub_group_ballot_bit_count(bits) + 100 * sub_group_ballot_find_lsb(bits) + 10000 * sub_group_ballot_find_msb(bits)
        + 7 * ((get_sub_group_lt_mask().x >> 4) & 1) + 1000 * sub_group_non_uniform_broadcast(3 * lane, 5);
}
