// 6.7.5: The names __generic and generic are reserved for future use: naming the space is let pass all the same, as clang does.
// expect: error "changes address space" at line 5
int get(int *p) { return *p; }
kernel void no_generic_pointer_in_1_2(global int *out) {
    out[0] = get(out);
}
