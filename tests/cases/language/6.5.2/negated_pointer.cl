// 6.5.2: The arithmetic unary operators (+ and -) operate on built-in scalar and vector types.
// expect: error "invalid argument type" at line 4
kernel void negated_pointer(global int *out) {
    global int *p = -out;
}
