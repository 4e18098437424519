// 6.3.3: The restrictions on other built-in types are those of 6.11: an image cannot be computed with.
// expect: error "event_t" at line 5
kernel void event_as_a_value(global int *out) {
    event_t e;
    out[0] = e + 1;
}
