// 6.3.1: void: an incomplete type that cannot be completed.
// expect: valid
// result: 9
kernel void void_pointer_keeps_the_address(global int *out) {
    private int a = 9;
    private void *p = &a;
    out[0] = *(private int *)p;
}
