// 6.11: q. The type qualifiers const, restrict and volatile as defined by C99 are supported: of vectors of half too.
// expect: valid
// result: 3 7 5 12
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void q_volatile_half_vectors(global int *out) {
    volatile half2 a = (half2)(1.0h, 2.0h), b = a;
    volatile half4 *p;
    volatile half4 held = (half4)(a, b);
    p = &held;
    b = a + b.yy;
    *p += (half4)(1, 2, 3, 4);
    p->w = p->w * 2;
    out[0] = b.x;
    half4 copy = *p;
    out[1] = copy.x + copy.y + a.x;
    out[2] = b.x + a.y;
    out[3] = copy.w;
}
