// 6.4.2: When casting a bool to a vector integer data type, the components are -1 if the value is true and 0 otherwise.
// expect: valid
// result: 1 1 1 1
kernel void literal_of_a_bool(global uchar4 *out) {
    bool yes = true;
    out[0] = (uchar4)(yes);
}
