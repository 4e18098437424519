// 6.5.9: The ternary selection operator chooses a value: of members of packed structs too, wherever they lie.
// expect: valid
// result: 2 9 3 8 4
typedef struct __attribute__((packed)) { char c; float f; int2 v; float list[2]; struct { short s; } in; } Packed;
kernel void members_of_packed_structs(global int *out) {
    Packed a = { 1, 2, (int2)(3), { 4, 5 }, { 6 } }, b = { 7, 8, (int2)(9), { 10, 11 }, { 12 } };
    volatile Packed v = a;
    int n = 1 + out[7];
    out[0] = n ? a.f : b.f;
    out[1] = (n ? b.v : a.v).y;
    out[2] = (n ? v.v : b.v).x;
    out[3] = max(n ? b.f : v.f, a.list[n]);
    out[4] = n ? v.list[0] : a.f;
}
