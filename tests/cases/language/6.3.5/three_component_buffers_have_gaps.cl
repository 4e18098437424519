// 6.3.5: For 3-component vector data types, the size of the data type is 4 * sizeof(component).
// expect: valid
// result: 1 2 3 0 5 6 7 0
kernel void three_component_buffers_have_gaps(global int *out) {
    global int3 *rows = (global int3 *)out;
    rows[0].xyz = (int3)(1, 2, 3);
    rows[1].xyz = (int3)(5, 6, 7);
    out[3] = 0; out[7] = 0;
}
