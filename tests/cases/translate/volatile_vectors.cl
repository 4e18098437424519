typedef struct { volatile float4 q; } held;

kernel void f(global float4 *o, volatile local float4 *s, volatile global float8 *w) {
    volatile float4 a = (float4)(1.0f, 2.0f, 3.0f, 4.0f), b = o[0];
    volatile int4 i = 0;
    held h;
    s[1] = o[1];
    o[0] = s[0] * b;
    a.xy = b.zw;
    a += b;
    a.x = b.y;
    i++;
    w[1].lo = w[0].hi;
    h.q = a.wzyx;
    o[2] = h.q;
}

// CUDA C++:
//| struct held {
//|     float4 q;
//| };
//|
//| __global__ void f(float4 *o, volatile float8 *w) {
//|     volatile float4 *s = (volatile float4 *)local_memory;
//|     volatile float4 a = float4{1.0f, 2.0f, 3.0f, 4.0f};
//|     volatile float4 b = o[0];
//|     volatile int4 i = int4{};
//|     held h;
//|     store_volatile(s[1], o[1]);
//|     o[0] = load_volatile(s[0]) * load_volatile(b);
//|     nonvolatile(a).set_xy(load_volatile(b).zw());
//|     nonvolatile(a) += load_volatile(b);
//|     a.x = b.y;
//|     nonvolatile(i)++;
//|     nonvolatile(w[1]).set_lo(load_volatile(w[0]).hi());
//|     store_volatile(h.q, load_volatile(a).wzyx());
//|     o[2] = load_volatile(h.q);
//| }
