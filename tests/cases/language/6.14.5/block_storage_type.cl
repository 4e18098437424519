// 6.14.5: The __block storage type is not supported.
// expect: error "__block storage type is not permitted" at line 5
// options: -cl-std=CL2.0
kernel void block_storage_type(global int *out) {
    __block int m = 1;
}
