// 6.6: Vector operations are component-wise: v = u + f is v.x = u.x + f, …
// expect: valid
// result: 0 1
kernel void no_component_disturbs_another(global uchar2 *out) {
    uchar2 v = (uchar2)(255, 0);
    out[0] = v + (uchar2)(1);
}
