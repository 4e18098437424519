// 6.3.5: vload3 and vstore3 read and write 3-component vectors from an array of packed scalars.
// expect: valid
// result: 4 5 6 1 2 3
// in: 1 2 3 4 5 6
kernel void vload3_and_vstore3_are_packed(global int *out, global const int *in) {
    vstore3(vload3(1, in), 0, out);
    vstore3(vload3(0, in), 1, out);
}
