// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: valid
// result: 5 0
kernel void components_of_an_array_element(global int2 *out) {
    int2 many[3] = {0, 0, 0};
    int i = 1;
    many[i].x = 5;
    out[0] = many[1];
}
