// 6.5.9: If all three expressions are scalar values, the C99 rules for the ternary operator are followed.
// expect: error "pointers to non-overlapping address spaces" at line 5
kernel void pointer_to_void_beside_pointer(global int *out) {
    local int shared;
    global int *place = out[0] ? (local void *)&shared : out;
}
