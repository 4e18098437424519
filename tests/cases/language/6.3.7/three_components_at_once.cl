// 6.3.7: The component selection syntax allows multiple components to be selected.
// expect: valid
// result: 3 4 5 9
kernel void three_components_at_once(global int4 *out) {
    int4 c = (int4)(9);
    c.xyz = (int3)(3, 4, 5);
    out[0] = c;
}
