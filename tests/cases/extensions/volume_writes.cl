// 6.15.15.4: cl_khr_3d_image_writes: kernels of OpenCL C 1.2 write to 3D images.
// expect: valid
// options: -cl-std=CL1.2
// result: 1
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
kernel void fill(write_only image3d_t volume) {
    write_imagef(volume, (int4)(0, 0, 0, 0), (float4)(1));
}
kernel void volume_writes(global int *out) {
    out[0] = cl_khr_3d_image_writes;
}
