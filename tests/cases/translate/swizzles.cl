kernel void swizzles(global float4 *out, float4 v, float16 w, global float2 *p) {
    float4 a = v.wzyx;
    float2 b = v.s01;
    a.xy = b;
    a.lo += v.hi;
    a.s3 = w.sF;
    w.s89aB = a.rgba;
    w.odd = w.even;
    float f = v.xyz.zyx.x + w.hi.lo.s1;
    p->x = f;
    p[1].yx = a.xz;
    p++->xy *= 2;
    out[0] = a + (v + a).zzzz;
}

// Translated:
//| __global__ void swizzles(float4 *out, float4 v, float16 w, float2 *p) {
//|     float2 *temporary1;
//|     float4 a = v.wzyx();
//|     float2 b = v.xy();
//|     a.set_xy(b);
//|     a.set_lo(a.lo() + v.hi());
//|     a.w = w.sf;
//|     w.set_s89ab(a.xyzw());
//|     w.set_odd(w.even());
//|     float f = v.z + w.s9;
//|     p->x = f;
//|     p[1].set_yx(a.xz());
//|     temporary1 = &*p++, temporary1->set_xy(temporary1->xy() * 2.0f);
//|     out[0] = a + (v + a).zzzz();
//| }
