// 6.4.1: Implicit conversions: a pointer to int where a pointer to an atomic type is expected brings a warning, as C does.
// expect: valid
// options: -cl-std=CL2.0
// result: 2
kernel void builtin_atomic_of_plain_int(global int *out) {
    atomic_fetch_add(out, 2);
}
