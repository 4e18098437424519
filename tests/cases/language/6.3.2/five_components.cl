// 6.3.2: Supported values of n are 2, 3, 4, 8, and 16 for all vector data types.
// expect: error "float5" at line 4
kernel void five_components(global int *out) {
    float5 a;
}
