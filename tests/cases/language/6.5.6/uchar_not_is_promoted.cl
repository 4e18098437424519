// 6.5.6: The bitwise operators and, or, exclusive or, and not operate on all integer scalars and vectors.
// expect: valid
// result: -6 250
kernel void uchar_not_is_promoted(global int *out) {
    uchar a = 5;
    out[0] = ~a; out[1] = (uchar)~a;
}
