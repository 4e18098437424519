// 6.5.1: The two operands are vectors of the same type: the operation is done component-wise.
// expect: valid
// result: 5 7 9 0
kernel void three_component_vectors(global int4 *out) {
    int3 a = (int3)(1, 2, 3), b = (int3)(4, 5, 6);
    out[0] = (int4)(a + b, 0);
}
