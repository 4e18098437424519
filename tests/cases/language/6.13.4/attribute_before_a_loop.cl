// 6.13.4: For basic blocks and control-flow statements the attribute is placed before the structure in question.
// expect: valid
// result: 3
kernel void attribute_before_a_loop(global int *out) {
    int n = 0;
    __attribute__((nobody_knows_it))
    for (int i = 0; i < 3; i++) n++;
    out[0] = n;
}
