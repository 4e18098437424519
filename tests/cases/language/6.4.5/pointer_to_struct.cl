// 6.4.5: Pointers to old and new types may be cast back and forth to each other.
// expect: valid
// result: 9
typedef struct { int a, b; } pair;
kernel void pointer_to_struct(global int *out) {
    int words[2] = {8, 9};
    out[0] = ((pair *)words)->b;
}
