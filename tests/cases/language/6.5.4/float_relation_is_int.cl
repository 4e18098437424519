// 6.5.4: Operands of type intn, uintn and floatn return an intn result.
// expect: valid
// result: 16
kernel void float_relation_is_int(global int *out) {
    float4 a = (float4)(1);
    out[0] = sizeof(a < a);
}
