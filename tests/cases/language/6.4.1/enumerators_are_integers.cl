// 6.4.1: The integer value 5 will be converted to the floating-point value 5.0.
// expect: valid
// result: 5 2
enum colour { red, green = 4, blue };
kernel void enumerators_are_integers(global int *out) {
    enum colour c = blue;
    out[0] = c; out[1] = c - 3;
}
