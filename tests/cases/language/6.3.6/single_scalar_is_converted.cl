// 6.3.6: A form with a single scalar is available: the operand is replicated across all lanes of the vector.
// expect: valid
// result: 3 3 3 3
kernel void single_scalar_is_converted(global int4 *out) {
    out[0] = (int4)(3.9f);
}
