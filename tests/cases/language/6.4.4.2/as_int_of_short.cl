// 6.4.4.2: It is an error to reinterpret data to a type of a different number of bytes.
// expect: error "invalid reinterpretation" at line 5
kernel void as_int_of_short(global int *out) {
    short s = 1;
    int i = as_int(s);
}
