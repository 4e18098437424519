kernel void f(global int *a) {
    /* a path: C:\ */
    a[0] = 1; /* behind \ */
    a[2] = 3;
}

// CUDA C++:
//| __global__ void f(int *a) {
//|     /* a path: C:\ */
//|     a[0] = 1; /* behind \ */
//|     a[2] = 3;
//| }
