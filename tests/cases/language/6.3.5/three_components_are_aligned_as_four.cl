// 6.3.5: For 3-component vector data types, the size of the data type is 4 * sizeof(component).
// expect: valid
// result: 16
typedef struct { int a; int3 v; } odd;
kernel void three_components_are_aligned_as_four(global int *out) {
    odd o;
    out[0] = (int)((uintptr_t)&o.v - (uintptr_t)&o);
}
