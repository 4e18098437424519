// 6.7.1: A buffer memory object can be declared as a pointer to a scalar, vector or user-defined struct.
// expect: valid
// result: 4 3 2 1
// size: 4
// in: 1 2 3 4
kernel void reads_and_writes_any_location(global int *out, global const int *in) {
    out[3 - get_global_id(0)] = in[get_global_id(0)];
}
