// 6.4.6: The rank of an enumerated type shall equal the rank of the compatible integer type.
// expect: valid
// result: 7 7
enum { two = 2 };
kernel void int_vector_and_enumerator(global int2 *out) {
    int2 v = (int2)(5);
    out[0] = v + two;
}
