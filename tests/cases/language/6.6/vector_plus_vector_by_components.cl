// 6.6: Vector operations are component-wise: v = u + f is v.x = u.x + f, …
// expect: valid
// result: 11.0 22.0 33.0 44.0
kernel void vector_plus_vector_by_components(global float4 *out) {
    float4 v = (float4)(1, 2, 3, 4), u = (float4)(10, 20, 30, 40), w;
    w = v + u;
    out[0] = w;
}
