// 6.12: #pragma OPENCL FP_CONTRACT on-off-switch
// expect: valid
// result: 3.0
kernel void fp_contract_off(global float *out) {
#pragma OPENCL FP_CONTRACT OFF
    float a = 1, b = 2;
    out[0] = a * b + 1;
}
