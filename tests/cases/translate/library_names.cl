float4 arranged(float4 v, int n) {
    return v * n;
}
uint4 load_2d(image2d_t image, int x, int y) {
    return read_imageui(image, (int2)(x, y));
}
kernel void f(read_only image2d_t image, global float4 *r, uint n) {
    r[0] = arranged(read_imagef(image, (int2)(0)), n) + convert_float4(load_2d(image, 1, 2));
}

// Translated:
//| __device__ float4 arranged(float4 v, int n) {
//|     return v * (float)n;
//| }
//|
//| __device__ uint4 load_2d(const image2d_t &image, int x, int y) {
//|     return read_imageui(image, int2{x, y});
//| }
//|
//| __global__ void f(const __grid_constant__ image2d_t image, float4 *r, uint n) {
//|     r[0] = user::arranged(read_imagef(image, int2{}), n) + convert_float4(user::load_2d(image, 1, 2));
//| }
