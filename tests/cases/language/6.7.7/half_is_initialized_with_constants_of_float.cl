// 6.7.7: Variables in the constant address space are initialized with compile-time constants: those of float and int become half, too.
// expect: valid
// clang: differs because it takes a vector that is widened from NAN for no constant
// result: 1 -1 1 3 8 -3 2 65504 5
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant half infinite[] = { INFINITY, -HUGE_VALF, FLT_MAX };
constant half2 unknown = (half2)(NAN);
constant half pi = M_PI_F, product = 0.5f * 0.25f + 1.0f, shifted = 1 << 3, quotient = -7 / 2, cut = (half)(int)2.7f;
constant half largest = HALF_MAX;
constant half4 mixed = (half4)(M_E_F, 1 + 1, 2.0f * 1.5f, -INFINITY);
kernel void half_is_initialized_with_constants_of_float(global int *out) {
    out[0] = isinf(infinite[0]) && infinite[0] > 0;
    out[1] = isinf(infinite[1]) && infinite[1] < 0 ? -1 : 0;
    out[2] = isinf(infinite[2]) && isnan(unknown.y) && product == 1.125h && isinf(mixed.w);
    out[3] = pi;
    out[4] = shifted;
    out[5] = quotient;
    out[6] = cut;
    out[7] = largest;
    out[8] = mixed.y + mixed.z;
}
