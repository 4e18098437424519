// 6.3.2: Supported values of n are 2, 3, 4, 8, and 16 for all vector data types.
// expect: error "bool4" at line 4
kernel void bool_vector(global int *out) {
    bool4 a;
}
