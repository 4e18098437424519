// 6.4.1: Implicit conversions: a function whose pointers fit is nearer than one whose other arguments do.
// expect: valid
// options: -cl-std=CL2.0
// result: 5 3
// clang: calls vload2 of a pointer to volatile ambiguous
kernel void builtin_prefers_legal_pointers(global int *out) {
    global uint *u = (global uint *)out;
    atomic_xor(u, 5);
    volatile global float *f = (volatile global float *)(out + 2);
    vstore2((float2)(3, 4), 0, f);
    out[1] = vload2(0, f).x;
}
