// 6.5.13: The unary (*) operator denotes indirection; the result is an l-value designating the object.
// expect: valid
// result: 3
kernel void indirection_of_an_array(global int *out) {
    int a[2] = {3, 4};
    out[0] = *a;
}
