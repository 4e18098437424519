// 6.7: Multiple address space qualifiers are not allowed.
// expect: error "field may not be qualified with an address space" at line 3
struct s { global int a; };
kernel void space_of_a_member(global int *out) {
    out[0] = 1;
}
