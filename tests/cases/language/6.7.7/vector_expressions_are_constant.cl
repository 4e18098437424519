// 6.7.7: Variables in the constant address space are initialized with compile-time constants: expressions of vectors too.
// expect: valid
// options: -cl-std=CL2.0
// result: 255 1 3 8 -4 12 -1 7 2 3 8 127 6 2 3 1 12
constant float16 wide = (float16)(255.0f);
constant float4 joined = (float4)((float2)(1.0f), 2.0f, 3.0f);
constant float4 scaled = (float4)(1, 2, 3, 4) * 2.0f;
constant int4 negative = -(int4)(1, 2, 3, 4);
constant int4 shifted = (int4)(1, 2, 3, 4) << 2;
constant int4 relation = (int4)(1, 2, 3, 4) < (int4)(2);
constant uint4 bits = ~(uint4)(1) & (uint4)(7) | (uint4)(1);
constant int4 chosen = 0 ? (int4)1 : (int4)(2);
typedef struct { float4 v; int x; } Held;
constant Held held = { (float4)(1.0f, (float3)(2.0f) + 1.0f), 4 };
constant float4 list[2] = { (float4)(1) + 1.0f, (float4)(2) * (float4)(4) };
constant uchar4 wrapped = (uchar4)(200) + (uchar4)(183);
constant int4 mixed = ((int4)(1, 2, 3, 4) * 2 + 4 - (int4)(5)) / 1 % 100;
global int4 counted = (int4)(1) + 1;
kernel void vector_expressions_are_constant(global int *out) {
    constant float4 inner = (float4)(1.5f) * 2.0f;
    out[0] = wide.sf;
    out[1] = joined.y;
    out[2] = joined.w;
    out[3] = scaled.w;
    out[4] = negative.w;
    out[5] = shifted.z;
    out[6] = relation.x;
    out[7] = bits.y;
    out[8] = chosen.x;
    out[9] = held.v.z;
    out[10] = list[1].x;
    out[11] = wrapped.w;
    out[12] = mixed.w - 1;
    out[13] = counted.y;
    out[14] = inner.x;
    out[15] = (int)joined.x;
    out[16] = held.x * 3;
}
