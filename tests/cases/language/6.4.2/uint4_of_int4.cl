// 6.4.2: Explicit casts between vector types are not legal.
// expect: error "'uint4'" at line 5
kernel void uint4_of_int4(global int *out) {
    int4 i = (int4)(1);
    uint4 u = (uint4) i;
}
