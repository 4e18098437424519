// 6.4.2: When casting a bool to a vector integer data type, the components are -1 if the value is true and 0 otherwise.
// expect: valid
// result: 1.0 1.0
kernel void bool_cast_to_float_vector(global float2 *out) {
    bool yes = true;
    out[0] = (float2)yes;
}
