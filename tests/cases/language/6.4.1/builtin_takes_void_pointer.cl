// 6.4.1: Implicit conversions: void * converts to every pointer, also where a built-in is called.
// expect: valid
// result: 2 1056964608
kernel void builtin_takes_void_pointer(global int *out) {
    global void *p = out + 1;
    float whole;
    void *q = &whole;
    out[2] = 0;
    float part = modf(2.5f, q);
    vstore2((float2)(part, 0), 0, p);
    out[0] = whole;
}
