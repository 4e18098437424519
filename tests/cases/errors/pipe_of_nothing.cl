// options: -cl-std=CL2.0
void no_type(pipe p) { }
kernel void f(read_only pipe, int a) { }

// Diagnostics:
//| error:2:19: missing actual type specifier for pipe
//| error:3:29: missing actual type specifier for pipe
