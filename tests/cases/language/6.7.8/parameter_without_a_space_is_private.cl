// 6.7.8: … and to the private address space if it is not.
// expect: valid
// result: 3
int get(int *p) { return *p; }
kernel void parameter_without_a_space_is_private(global int *out) {
    private int a = 3;
    out[0] = get(&a);
}
