// 6.3.6: A form with a single scalar is available: the operand is replicated across all lanes of the vector.
// expect: valid
// result: 1 1 1 1
kernel void single_scalar_is_replicated(global uint4 *out) {
    out[0] = (uint4)(1);
}
