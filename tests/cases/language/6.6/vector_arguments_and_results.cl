// 6.6: Vector operations are component-wise: v = u + f is v.x = u.x + f, …
// expect: valid
// result: 4.0 6.0
float2 twice(float2 v) { return v + v; }
kernel void vector_arguments_and_results(global float2 *out) {
    out[0] = twice((float2)(2, 3));
}
