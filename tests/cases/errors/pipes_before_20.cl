kernel void f(pipe int p) { }
kernel void g(global int *x) { x[0] = work_group_reduce(1); queue_t q; }

// Diagnostics:
//| error:1:15: unknown type name 'pipe'
//| error:2:61: unknown type name 'queue_t'
