kernel void f(global int *x) {
    unknown_t u;
    x[0] = 1;
}

// Diagnostics:
//| error:2:5: unknown type name 'unknown_t'
