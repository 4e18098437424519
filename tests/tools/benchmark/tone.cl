/* An image in memory: vectors, conversions and common functions. */
__kernel void tone(__global const uchar4 *in, __global uchar4 *out, float exposure, float saturation, float4 tint)
{
    const size_t i = get_global_id(0);
    float4 c = convert_float4(in[i]) * (1.0f / 255.0f);
    c.xyz *= exp2(exposure);
    const float grey = dot(c.xyz, (float3)(0.2126f, 0.7152f, 0.0722f));
    c.xyz = mix((float3)(grey), c.xyz, saturation) * tint.xyz;
    c.xyz = clamp(c.xyz / (c.xyz + 1.0f), 0.0f, 1.0f);
    c.xyz = pow(c.xyz, (float3)(1.0f / 2.2f));
    out[i] = convert_uchar4_sat_rte(c * 255.0f);
}
