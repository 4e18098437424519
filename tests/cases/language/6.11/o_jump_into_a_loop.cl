// 6.11: o. Whether irreducible control flow is illegal is implementation-defined: it is legal here.
// expect: valid
// result: 3
kernel void o_jump_into_a_loop(global int *out) {
    int i = 0;
    goto inside;
    while (i < 3) {
    inside:
        i++;
    }
    out[0] = i;
}
