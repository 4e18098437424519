// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression: GNU C counts void * in bytes.
// expect: valid
// result: 7 8 4 -4
kernel void void_pointer(global int *out) {
    global void *p = out, *q = p;
    p += 4;
    *(global int *)p = 8;
    global void *old = p++;
    --p;
    *(global int *)(p - 4) = 7;
    out[2] = p - q;
    out[3] = q - old;
}
