// 6.15: cl_khr_subgroup_non_uniform_arithmetic: scans and reductions of those that are active.
// expect: valid
// size: 32
// result: 240 256 240 256 240 256 240 256 240 256 240 256 240 256 240 256 240 256 240 256 240 256 240 256 240 256 240 256 240 256 240 256 -1 999 2000 4001 6002 9003 12004 16005 20006 25007 30008 36009 42010 49011 56012 64013 72014 81015 90016 100017 110018 121019 132020 144021 156022 169023 182024 196025 210026 225027 240028 256029
kernel void subgroup_non_uniform_arithmetic(global int *out) {
    int lane = get_sub_group_local_id();

    if (lane % 2) {
        out[lane] = sub_group_non_uniform_reduce_add(lane);
        int before = sub_group_non_uniform_scan_exclusive_max(lane);
        out[32 + lane] = 1000 * sub_group_non_uniform_scan_inclusive_add(lane) + (lane == 1 ? -1 : before);
    } else {
        out[lane] = sub_group_non_uniform_reduce_add(lane);
        int before = sub_group_non_uniform_scan_exclusive_max(lane);
        out[32 + lane] = 1000 * sub_group_non_uniform_scan_inclusive_add(lane) + (lane == 0 ? -1 : before);
    }
}
