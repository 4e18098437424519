typedef int number = 3;
kernel void f(global int *x) { typedef float4 v = (float4)(0), w; x[0] = 1; }

// Diagnostics:
//| error:1:13: illegal initializer (only variables can be initialized)
//| error:2:47: illegal initializer (only variables can be initialized)
