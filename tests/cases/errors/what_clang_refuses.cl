// options: -cl-std=CL2.0
typedef size_t count; typedef count counts; typedef ptrdiff_t distance; typedef uintptr_t place; typedef intptr_t offset;
struct pair { counts c[2]; };
kernel void sizes(count a, counts b, distance c, place d, offset e, struct pair f) { }
kernel void pointed(global counts *a, global struct pair *b) { }
void helper(count c, struct pair p) { }
typedef global int shared;
kernel void other(local shared *p) { }
kernel void again(global shared *p) { }
kernel void generic_one(void) { generic int x = 1; }
constant sampler_t wide = 0x100000000LL;
constant sampler_t also = 0UL;
constant sampler_t fine = 0x10u;
void element(float4 v, global float8 *w, float4 a[2]) {
    float *p = &v[1];
    global float *q = &w[0][1];
    float4 *r = &a[1];
    global float8 *s = &w[1];
}
kernel void atomics(global atomic_int *o) {
    o[0] = 1;
    o[0] = o[1];
    o[0] += 1;
}
__attribute__((reqd_work_group_size(1, 1, 1))) constant int variable = 1;
kernel void automatic(void) { __attribute__((vec_type_hint(int))) int inside = 1; }

// Diagnostics:
//| error:4:25: 'count' cannot be used as the type of a kernel parameter
//| error:4:35: 'counts' cannot be used as the type of a kernel parameter
//| error:4:47: 'distance' cannot be used as the type of a kernel parameter
//| error:4:56: 'place' cannot be used as the type of a kernel parameter
//| error:4:66: 'offset' cannot be used as the type of a kernel parameter
//| error:4:81: 'struct pair' cannot be used as the type of a kernel parameter: it holds a field of type 'counts'
//| error:8:33: multiple address spaces specified for type
//| warning:9:34: multiple identical address spaces specified for type
//| error:10:45: automatic variable qualified with an invalid address space
//| error:11:27: sampler_t initialization requires a 32-bit integer, not 'long'
//| error:12:27: sampler_t initialization requires a 32-bit integer, not 'ulong'
//| error:15:16: address of vector element requested
//| error:16:23: address of vector element requested
//| warning:21:10: assigning to an object of type 'atomic_int' is no atomic operation: use atomic_store
//| warning:22:10: assigning to an object of type 'atomic_int' is no atomic operation: use atomic_store
//| error:23:10: invalid operands to binary expression ('atomic_int' and 'int')
//| error:25:16: attribute 'reqd_work_group_size' only applies to functions
//| error:26:46: attribute 'vec_type_hint' only applies to functions
