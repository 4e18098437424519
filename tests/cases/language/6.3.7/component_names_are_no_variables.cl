// 6.3.7: It is illegal to take the address of a vector element.
// expect: valid
// result: 3
kernel void component_names_are_no_variables(global int *out) {
    int x = 1, s0 = 2;
    int2 v = (int2)(x, s0);
    out[0] = v.x + v.s1;
}
