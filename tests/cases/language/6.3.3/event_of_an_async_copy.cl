// 6.3.3: event_t: identifies async copies from global to local memory and vice versa.
// expect: valid
// result: 3 2 1 0
// size: 4
// in: 0 1 2 3
kernel void event_of_an_async_copy(global int *out, global const int *in) {
    local int tile[4];
    event_t done = async_work_group_copy(tile, in, 4, 0);
    wait_group_events(1, &done);
    out[get_global_id(0)] = tile[3 - get_local_id(0)];
}
