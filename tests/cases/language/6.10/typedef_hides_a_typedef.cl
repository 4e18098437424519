// 6.10: typedefs have no storage and can hide in a function what is outside.
// expect: valid
// result: 1 4
typedef int number;
kernel void typedef_hides_a_typedef(global int *out) {
    out[1] = sizeof(number);
    typedef char number;
    out[0] = sizeof(number);
}
