// 6.5.7: The logical operator exclusive or (^^) is reserved.
// expect: error "expected a type" at line 4
kernel void exclusive_logic(global int *out) {
    out[0] = 1 ^^ 0;
}
