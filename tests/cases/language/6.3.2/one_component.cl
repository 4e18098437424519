// 6.3.2: Supported values of n are 2, 3, 4, 8, and 16 for all vector data types.
// expect: error "int1" at line 4
kernel void one_component(global int *out) {
    int1 a;
}
