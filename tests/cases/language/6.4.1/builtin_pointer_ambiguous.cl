// 6.4.1: Implicit conversions: where several functions of a name are equally far, the call is none of them.
// expect: error "ambiguous" at line 5
kernel void builtin_pointer_ambiguous(global int *out, global void *p) {
    struct { int a; } *s = 0;
    float4 v = vload4(0, s);
}
