// 6.4.2: Explicit casts between vector types are not legal.
// expect: error "'int2'" at line 5
kernel void scalar_of_a_vector(global int *out) {
    int2 v = (int2)(1);
    out[0] = (int)v;
}
