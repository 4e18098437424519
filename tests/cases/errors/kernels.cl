kernel int returns(global int *x) { return 1; }
kernel void flags(bool b, size_t n) { }
kernel void nested(global int **p) { }
struct holder { int *p; };
kernel void holds(struct holder h) { }
kernel void twice(int a, int a) { }
kernel void same(void) { }
kernel void same(void) { }
kernel __attribute__((reqd_work_group_size(0, 1, 1))) void zero(void) { }

// Diagnostics:
//| error:1:12: kernel must have void return type
//| error:2:24: 'bool' cannot be used as the type of a kernel parameter
//| error:2:34: 'size_t' cannot be used as the type of a kernel parameter
//| error:3:33: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//| error:3:33: kernel parameter cannot be declared as a pointer to a pointer
//| error:5:33: 'struct holder' cannot be used as the type of a kernel parameter: it holds a pointer
//| error:6:30: redefinition of parameter 'a'
//| error:8:13: redefinition of 'same'
//| error:9:23: 'reqd_work_group_size' attribute requires three positive integer constants
