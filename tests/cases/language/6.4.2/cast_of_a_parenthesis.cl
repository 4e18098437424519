// 6.4.2: Standard typecasts for built-in scalar data types perform appropriate conversion.
// expect: valid
// result: 4
kernel void cast_of_a_parenthesis(global int *out) {
    out[0] = (int)(2.9f + 1.5f);
}
