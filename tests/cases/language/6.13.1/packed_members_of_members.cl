// 6.13.1: packed: members of a record that is itself a member, volatile or not, are read and changed where they lie.
// expect: valid
// result: 3 12 105 5 22 7 1 16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct { volatile ushort8 turning; ushort8 still; volatile half small; } inner;
typedef struct __attribute__((packed)) { char first; inner a; inner b[2]; volatile inner c; } outer;
kernel void packed_members_of_members(global int *out) {
    outer o = { 1, { (ushort8)(3), (ushort8)(4) }, { { (ushort8)(5) }, { (ushort8)(6) } }, { (ushort8)(7) } };
    outer *p = &o;
    o.b[1].turning += (ushort8)(6);
    o.b[0].turning.s5 += 100;
    o.a.still.lo = o.b[0].turning.hi;
    o.a.still.s7++;
    p->b[1].still = o.b[1].turning + (ushort8)(10);
    o.a.small = 16.0f;
    out[0] = o.a.turning.s6;
    out[1] = p->b[1].turning.s3;
    out[2] = o.a.still.s1;
    out[3] = o.a.still.s7;
    out[4] = p->b[1].still.s0;
    out[5] = p->c.turning.s1;
    out[6] = o.first;
    out[7] = (int)o.a.small;
}
