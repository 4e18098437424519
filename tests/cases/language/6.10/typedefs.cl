// 6.10: The typedef storage-class specifier is supported.
// expect: valid
// result: 3 6
typedef int whole;
typedef struct { whole a; } box_t, *box_pointer;
kernel void typedefs(global int *out) {
    typedef box_t local_name;
    local_name b = {3};
    box_pointer p = &b;
    out[0] = p->a; out[1] = p->a * 2;
}
