// 6.6: Vector operations are component-wise: v = u + f is v.x = u.x + f, …
// expect: valid
// result: 1
kernel void vector_plus_scalar_by_components(global int *out) {
    float4 u = (float4)(1, 2, 3, 4), v;
    float f = 0.5f;
    v = u + f;
    out[0] = v.x == u.x + f && v.y == u.y + f && v.z == u.z + f && v.w == u.w + f;
}
