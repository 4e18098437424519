// 6.3.6: A form with a single scalar is available: the operand is replicated across all lanes of the vector.
// expect: valid
// result: 5 5 5 5
kernel void single_scalar_expression_is_evaluated_once(global int4 *out) {
    int n = 5;
    out[0] = (int4)(n++);
}
