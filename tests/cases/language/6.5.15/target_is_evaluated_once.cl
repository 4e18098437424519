// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 15 1
kernel void target_is_evaluated_once(global int *out) {
    int a[2] = {5, 6}, i = 0;
    a[i++] += 10;
    out[0] = a[0]; out[1] = i;
}
