typedef struct node {
    int value;      // what it holds
    struct { short a, b; } inner[2];
    union { int i; float f; } either;
    const struct node *next;
} node_t;
struct __attribute__((packed)) tight { char c; int i; };
typedef struct { char c; float3 v; } __attribute__((aligned(64))) wide;

float sum(node_t n, const struct tight *t) {
    return n.value + n.inner[1].b + n.either.f + t->i;
}

kernel void structs(global float *out, global wide *w) {
    node_t n = { .value = 3, .inner = { {1, 2}, {3} } };
    struct tight t = { 'x', 5 };
    n.next = &n;
    out[0] = sum(n, &t) + w->v.x + sizeof(wide) + n.next->value;
}

// Translated:
//| struct struct_1 {
//|     short a;
//|     short b;
//| };
//|
//| union union_2 {
//|     int i;
//|     float f;
//| };
//|
//| struct node {
//|     int value; // what it holds
//|     struct_1 inner[2];
//|     union_2 either;
//|     const node *next;
//| };
//|
//| typedef node node_t;
//|
//| struct __attribute__((packed)) tight {
//|     char c;
//|     int i;
//| };
//|
//| struct __attribute__((aligned(64))) wide {
//|     char c;
//|     float3 v;
//| };
//|
//| __device__ float sum(node_t n, const tight *t) {
//|     return n.value + n.inner[1].b + n.either.f + t->i;
//| }
//|
//| __global__ void structs(float *out, wide *w) {
//|     node_t n = {3, {{1, 2}, {3}}};
//|     tight t = {'x', 5};
//|     n.next = &n;
//|     out[0] = sum(n, &t) + w->v.x + sizeof(wide) + n.next->value;
//| }
