// 6.4.4.2: The usual type promotion for function arguments shall not be performed.
// expect: error "invalid reinterpretation" at line 5
kernel void as_int_of_a_char(global int *out) {
    char c = 1;
    out[0] = as_int(c);
}
