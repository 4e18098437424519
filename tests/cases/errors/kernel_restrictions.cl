struct sizes { int a; struct { size_t n; } inner[2]; };
struct flags { bool b; };
kernel void f(struct sizes s, struct flags g, ptrdiff_t d, intptr_t i, uintptr_t u) { }
kernel void g(global int **p) { }
__attribute__((reqd_work_group_size(1, 1, 1))) void helper(void) { }
kernel __attribute__((intel_reqd_sub_group_size(12))) void sub(void) { }
kernel __attribute__((vec_type_hint(struct flags))) void hint(void) { }

// Diagnostics:
//| error:3:28: 'struct sizes' cannot be used as the type of a kernel parameter: it holds a field of type 'size_t'
//| error:3:44: 'struct flags' cannot be used as the type of a kernel parameter: it holds a field of type 'bool'
//| error:3:57: 'ptrdiff_t' cannot be used as the type of a kernel parameter
//| error:3:69: 'intptr_t' cannot be used as the type of a kernel parameter
//| error:3:82: 'uintptr_t' cannot be used as the type of a kernel parameter
//| error:4:28: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//| error:4:28: kernel parameter cannot be declared as a pointer to a pointer
//| error:5:16: attribute 'reqd_work_group_size' can only be applied to an OpenCL kernel function
//| error:6:23: 'intel_reqd_sub_group_size' attribute requires one of the sub-group sizes (8, 16, 32)
//| error:7:23: a non-vector or non-vectorizable scalar type is invalid for 'vec_type_hint': 'struct flags'
