// 6.5.9: exp1 can be a scalar or vector result except float.
// expect: error "used type 'float4' where integer is required" at line 5
kernel void float_vector_condition(global int *out) {
    float4 c = (float4)(1);
    c = c ? c : c;
}
