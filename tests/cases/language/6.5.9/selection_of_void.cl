// 6.5.9: The second and third expressions may both be void (C99 6.5.15).
// expect: valid
// result: 1 2
kernel void selection_of_void(global int *out) {
    int yes = 1;
    yes ? (void)(out[0] = 1) : (void)(out[0] = 5);
    out[1] = 2;
}
