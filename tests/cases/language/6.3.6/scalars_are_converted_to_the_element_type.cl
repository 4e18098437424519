// 6.3.6: All arguments have the same element type as the result vector.
// expect: valid
// result: 1.0 2.0 3.0 98.0
kernel void scalars_are_converted_to_the_element_type(global float4 *out) {
    out[0] = (float4)(1, 2u, 3.0, 'b');
}
