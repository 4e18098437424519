// 6.7.7: Variables in the constant address space are initialized with compile-time constants: expressions of vectors of half too.
// expect: valid
// result: 6 -2 12
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant half2 scaled = (half2)(1, 2) * (half)3;
constant half4 mixed = -(half4)(2, 4, 6, 8) / (half4)(2) + (half)1 - (half4)(2);
constant half2 list[2] = { (half2)(1) + (half2)(2), (half2)(3, 4) };
kernel void half_vector_expressions_are_constant(global int *out) {
    out[0] = scaled.y;
    out[1] = mixed.x;
    out[2] = list[1].y * list[0].x;
}
