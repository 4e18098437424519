// 6.5.4: Operands of type longn, ulongn and doublen return a longn result.
// expect: error "incompatible type 'int4'" at line 5
kernel void result_is_not_of_the_source_type(global int *out) {
    float4 a = (float4)(1);
    float4 r = a < a;
}
