// 6.3.3: The C99 derived types (arrays, structs, unions, functions, and pointers) are supported.
// expect: valid
// result: 1 2 3 4
typedef union { int i; float f; } either;
typedef struct { int a[2]; either e; } whole;
int first(private whole *w) { return w->a[0]; }
kernel void derived_types(global int *out) {
    whole w = {{1, 2}, {.i = 3}}, *p = &w;
    out[0] = first(p); out[1] = w.a[1]; out[2] = p->e.i; out[3] = 4;
}
