// 6.13.4: For basic blocks and control-flow statements the attribute is placed before the structure in question.
// expect: valid
// result: 2
kernel void attribute_before_a_block(global int *out) {
    __attribute__((nobody_knows_it)) {
        out[0] = 2;
    }
}
