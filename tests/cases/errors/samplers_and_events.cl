constant sampler_t good = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
sampler_t unqualified = CLK_FILTER_NEAREST;
global sampler_t in_global = CLK_FILTER_NEAREST;
sampler_t returned(void);
struct holder { sampler_t sampler; };
struct waits { event_t event; };
event_t program_scope;
kernel void f(sampler_t s, sampler_t *pointed, int n) {
}
kernel void g(event_t e) { }
kernel void h(sampler_t s, int n) {
    const sampler_t computed = n;
    sampler_t many[2];
    local sampler_t in_local;
    s = good;
    n = s + 1;
    local event_t shared_one;
    event_t e = 0;
    event_t wrong = 1;
    n = e;
}

// Diagnostics:
//| error:2:11: a program scope variable of type 'sampler_t' requires a const or constant address space qualifier
//| error:3:18: type 'sampler_t' cannot be used with the __local and __global address space qualifiers
//| error:4:11: declaring function return value of type 'sampler_t' is not allowed
//| error:5:27: the 'sampler_t' type cannot be used to declare a structure or union field
//| error:6:24: the 'event_t' type cannot be used to declare a structure or union field
//| error:7:9: the 'event_t' type cannot be used to declare a program scope variable
//| error:8:38: pointer to type 'sampler_t' is invalid in OpenCL
//| error:10:23: 'event_t' cannot be used as the type of a kernel parameter
//| error:12:32: initializing 'sampler_t' from an expression that is no integer constant
//| error:13:15: array of 'sampler_t' type is invalid in OpenCL
//| error:14:21: type 'sampler_t' cannot be used with the __local and __global address space qualifiers
//| error:15:7: an object of type 'sampler_t' cannot be modified
//| error:16:11: invalid operands to binary expression ('sampler_t' and 'int')
//| error:17:19: the 'event_t' type can only be used with the private address space
//| error:19:21: initializing 'event_t' from an expression of incompatible type 'int'
//| error:20:9: assigning to 'int' from an expression of incompatible type 'event_t'
