// 6.14.2: You can also create types for Blocks.
// expect: valid
// options: -cl-std=CL2.0
// result: 56
typedef float (^MyBlockType)(float, float);
kernel void block_typedef(global int *out) {
    MyBlockType first = ^(float a, float b) { return a + b; };
    MyBlockType second = ^(float a, float b) { return a * b; };
    out[0] = first(2, 3) * 10 + second(2, 3);
}
