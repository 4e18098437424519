// 6.4.5: Pointers to old and new types may be cast back and forth to each other.
// expect: valid
// result: 6
kernel void pointer_as_integer_and_back(global int *out) {
    ulong address = (ulong)&out[0];
    *(global int *)address = 6;
}
