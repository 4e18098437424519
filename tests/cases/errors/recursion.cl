kernel void f(global int *x) { if (x[0]) f(x); }

// Diagnostics:
//| error:1:13: recursion is not supported in OpenCL: 'f' calls itself
