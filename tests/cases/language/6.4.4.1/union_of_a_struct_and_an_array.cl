// 6.4.4.1: A member of a union object may be accessed using a member of a different type.
// expect: valid
// result: 3 4
kernel void union_of_a_struct_and_an_array(global int *out) {
    union { struct { short a, b; } s; short all[2]; } u;
    u.s.a = 3; u.s.b = 4;
    out[0] = u.all[0]; out[1] = u.all[1];
}
