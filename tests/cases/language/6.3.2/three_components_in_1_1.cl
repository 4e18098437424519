// 6.3.2: Vector types with three elements require OpenCL C 1.1 or newer.
// expect: valid
// result: 6
// options: -cl-std=CL1.1
kernel void three_components_in_1_1(global int *out) {
    int3 a = (int3)(1, 2, 3);
    out[0] = a.x + a.y + a.z;
}
