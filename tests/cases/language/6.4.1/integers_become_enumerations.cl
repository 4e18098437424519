// 6.4.1: The integer value 5 will be converted to the floating-point value 5.0.
// expect: valid
// result: 1
enum colour { red, green };
kernel void integers_become_enumerations(global int *out) {
    enum colour c = 1;
    out[0] = c == green;
}
