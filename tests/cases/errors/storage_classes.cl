static constant int fine = 1;
static int helper(int x) { return x; }
static kernel void hidden(global int *x) { }
auto constant int automatic = 1;
global int in_global;
void main(global int *x) { }
void f(global int *x) {
    register int r = 1;
    auto int a = 1;
    static int s = 1;
    global int g;
    constant int c = 1;
    local int l;
    static constant int kept = 2;
}
kernel void k(global int *x) {
    constant int c = 1;
    local int l;
    if (x[0]) {
        local int nested;
        constant int inside = 1;
    }
    for (;;) { local int looped; }
    constant int unset;
    constant int computed = x[0];
    private local int both;
}

// Diagnostics:
//| error:3:20: kernel functions cannot be declared static
//| error:4:19: OpenCL C version 1.2 does not support the 'auto' storage class specifier
//| error:5:12: program scope variable must reside in constant address space
//| error:6:6: a function cannot be called 'main' in OpenCL
//| error:8:18: OpenCL C version 1.2 does not support the 'register' storage class specifier
//| error:9:14: OpenCL C version 1.2 does not support the 'auto' storage class specifier
//| error:10:16: static local variable must reside in constant address space
//| error:11:16: variables in function scope cannot be in the global address space
//| error:12:18: non-kernel function variable cannot be declared in constant address space
//| error:13:15: non-kernel function variable cannot be declared in local address space
//| error:20:19: variables in the local address space can only be declared in the outermost scope of a kernel function
//| error:21:22: variables in the constant address space can only be declared in the outermost scope of a kernel function
//| error:23:26: variables in the local address space can only be declared in the outermost scope of a kernel function
//| error:24:18: variable in constant address space must be initialized
//| error:25:29: initializer element is not a compile-time constant
//| error:26:23: multiple address spaces specified for type
