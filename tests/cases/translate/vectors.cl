kernel void vectors(global float4 *out, float4 v, float2 h, int4 m, float s) {
    float4 a = (float4)(1, 2.0f, s, 4);
    float4 b = (float4)(0.0f);
    float4 c = (float4)(h, s, 1);
    float4 d = (float4)(h + 1, h);
    float8 e = (float8)(v, v * 2);
    a = v * s + b - 1;
    a *= 3;
    a += v;
    m = a < b;
    m = (m && m != 0) || !m;
    a = m ? a : b;
    a = m ? s : 0.0f;
    out[0] = a + c + d + e.lo;
    out[1] = s;
}

// Translated:
//| __global__ void vectors(float4 *out, float4 v, float2 h, int4 m, float s) {
//|     float4 a = float4{1.0f, 2.0f, s, 4.0f};
//|     float4 b = float4{};
//|     float4 c = float4{h.x, h.y, s, 1.0f};
//|     float4 d = join<float4>(h + 1.0f, h);
//|     float8 e = join<float8>(v, v * 2.0f);
//|     a = v * s + b - 1.0f;
//|     a *= 3.0f;
//|     a += v;
//|     m = a < b;
//|     m = (m && m != 0) || !m;
//|     a = select(b, a, m);
//|     a = select(float4{}, splat<float4>(s), m);
//|     out[0] = a + c + d + e.lo();
//|     out[1] = splat<float4>(s);
//| }
