// 6.4.2: When casting a bool to a vector integer data type, the components are -1 if the value is true and 0 otherwise.
// expect: valid
// result: 0 0 0 0
kernel void false_becomes_zero(global int4 *out) {
    bool no = false;
    out[0] = (int4)no;
}
