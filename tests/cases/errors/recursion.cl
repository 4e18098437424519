int odd(int n);
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
kernel void f(global int *x) { x[0] = even(4); }

// Diagnostics:
//| error:2:5: recursion is not supported in OpenCL: 'even' calls itself
