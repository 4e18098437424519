// 6.12: #pragma OPENCL FP_CONTRACT on-off-switch
// expect: valid
// result: 3.0
#pragma OPENCL FP_CONTRACT ON
kernel void fp_contract_on(global float *out) {
    float a = 1, b = 2;
    out[0] = a * b + 1;
}
