// 6.14.2: Block variables hold references to Blocks; types for Blocks can be created.
// expect: valid
// options: -cl-std=CL2.0
// result: 5
kernel void block_returning_void(global int *out) {
    void (^put)(int) = ^(int n) { out[0] = n; };
    put(5);
}
