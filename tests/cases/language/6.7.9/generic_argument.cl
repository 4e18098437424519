// 6.7.9: A pointer to global, local or private can be implicitly converted to generic but not vice-versa.
// expect: valid
// options: -cl-std=CL2.0
// result: 5
void add(int *a) { *a = *a + 2; }
kernel void generic_argument(global int *out) {
    local int l;
    l = 3;
    add(&l);
    out[0] = l;
}
