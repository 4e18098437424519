typedef struct { short4 v; } plain;
typedef struct { volatile short4 v; volatile int x; volatile plain p[2]; } held;

void f(held *a, volatile held *b, global held *o) {
    held c = *a;
    c = *b;
    *b = c;
    c.v = a->v;
    c.v.x = c.p[1].v.y;
    volatile short4 *q = &c.v;
    o[0] = c;
}

// CUDA C++:
//| struct plain {
//|     short4 v;
//| };
//|
//| struct held {
//|     short4 v;
//|     volatile int x;
//|     plain p[2];
//| };
//|
//| __device__ void f(held *a, volatile held *b, held *o) {
//|     held c = *a;
//|     c = load_volatile_object(*b);
//|     store_volatile_object(*b, c);
//|     store_volatile(c.v, load_volatile(a->v));
//|     as_volatile(c.v).x = as_volatile(c.p)[1].v.y;
//|     volatile short4 *q = &as_volatile(c.v);
//|     o[0] = c;
//| }
