// 6.3.2: Supported values of n are 2, 3, 4, 8, and 16 for all vector data types.
// expect: valid
// result: 7 4
typedef struct { int2 pairs[3]; short4 tail; } packed_up;
kernel void vectors_in_arrays_and_structs(global int *out) {
    packed_up p = {{(int2)(1, 2), (int2)(3, 4), (int2)(5, 7)}, (short4)(1, 2, 3, 4)};
    out[0] = p.pairs[2].y; out[1] = p.tail.w;
}
