// 6.11: q. The type qualifiers const, restrict and volatile as defined by C99 are supported: of half too.
// expect: valid
// result: 3 5 6 7
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct { volatile half h; int x; } Held;
kernel void q_volatile_half(global int *out) {
    volatile half a = 1.0h, b = a;
    b = a + (half)2;
    Held held = { b, 4 }, copy = held;
    out[0] = copy.h;
    copy.h += a * (half)2;
    out[1] = copy.h;
    held = copy;
    ++held.h;
    float f = held.h;
    out[2] = f;
    volatile half *p = &b;
    *p = held.h;
    out[3] = fmax(*p + a, a);
}
