// 6.3.5: vload3 and vstore3 read and write 3-component vectors from an array of packed scalars.
// expect: valid
// result: 2 3 4 5
// in: 1 2 3 4 5
kernel void vload4_needs_only_the_alignment_of_an_element(global int *out, global const int *in) {
    vstore4(vload4(0, in + 1), 0, out);
}
