// 6.4.2: Explicit casts between vector types are not legal.
// expect: valid
// result: 1 1 1 1
kernel void cast_to_the_same_vector_type(global int4 *out) {
    int4 v = (int4)(1);
    out[0] = (int4)v;
}
