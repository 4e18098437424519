// 6.14.2: Block variables hold references to Blocks; types for Blocks can be created.
// expect: valid
// options: -cl-std=CL2.0
// result: 3.0 2.0
typedef float (^MyBlockType)(float, float);
kernel void block_typedef(global float *out) {
    MyBlockType add = ^(float a, float b) { return a + b; };
    MyBlockType multiply = ^(float a, float b) { return a * b; };
    out[0] = add(1, 2); out[1] = multiply(1, 2);
}
