// 6.5.2: The arithmetic unary operators (+ and -) operate on built-in scalar and vector types.
// expect: valid
// result: 4294967291
kernel void negated_uint_wraps(global uint *out) {
    uint a = 5;
    out[0] = -a;
}
