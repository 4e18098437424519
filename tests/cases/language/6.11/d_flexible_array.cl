// 6.11: d. Variable length arrays and structures with flexible (or unsized) arrays are not supported.
// expect: valid
// result: 12 30 4 8
typedef struct { int n, last; } pair;
struct list { int n; pair rest[]; };
kernel void d_flexible_array(global int *out) {
    global struct list *list = (global struct list *)out;
    global pair *rest = list->rest;
    out[0] = sizeof(struct list) + 8;
    list->rest[0] = (pair){30, 4};
    rest[1].n = (int)((global char *)&list->rest[1] - (global char *)rest);
}
