// 6.4.4.2: The usual type promotion for function arguments shall not be performed.
// expect: error "invalid reinterpretation" at line 4
kernel void as_char_of_a_character_constant(global int *out) {
    out[0] = as_char('a');
}
