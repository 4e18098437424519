// 6.14.2: Block variables hold references to Blocks; types for Blocks can be created.
// expect: valid
// options: -cl-std=CL2.0
// result: 4
kernel void block_without_arguments(global int *out) {
    int (^four)(void) = ^(void) { return 4; };
    out[0] = four();
}
