// 6.4.5: Pointers to old and new types may be cast back and forth to each other.
// expect: valid
// result: 1
kernel void pointer_there_and_back(global int *out) {
    global int *p = out + 2;
    out[0] = (global int *)(global char *)p == p;
}
