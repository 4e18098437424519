// 6.4.4.2: The usual type promotion for function arguments shall not be performed.
// expect: valid
// result: 255
kernel void as_uchar_of_a_char(global int *out) {
    char c = -1;
    out[0] = as_uchar(c);
}
