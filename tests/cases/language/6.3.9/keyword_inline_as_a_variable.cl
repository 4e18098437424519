// 6.3.9: Names reserved as keywords by C99 shall not be used otherwise.
// expect: error "expected identifier" at line 4
kernel void keyword_inline_as_a_variable(global int *out) {
    int inline = 1;
}
