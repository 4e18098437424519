// The declarators of one declaration share the type that it defines. Recursion is only warned of.
int sum(int n) { return n ? n + sum(n - 1) : 0; }

kernel void f(global int *o) {
    union { int i; float f; } x, y;
    struct pair { int a, b; } s, *p = &s;
    enum { one = 1, two } e = one, g = two;
    int none[0];
    x.f = 1.0f;
    y = x;
    p->a = y.i;
    o[0] = s.a + e + g + sum(3) + sizeof(none);
}

// CUDA C++:
//| // The declarators of one declaration share the type that it defines. Recursion is only warned of.
//| __device__ int sum(int n) {
//|     return n ? n + sum(n - 1) : 0;
//| }
//|
//| __global__ void f(int *o) {
//|     union union_1 {
//|         int i;
//|         float f;
//|     };
//|     union_1 x;
//|     union_1 y;
//|     struct pair {
//|         int a;
//|         int b;
//|     };
//|     pair s;
//|     pair *p = &s;
//|     enum { one = 1, two };
//|     unsigned int e = one;
//|     unsigned int g = two;
//|     int none[1];
//|     x.f = 1.0f;
//|     y = x;
//|     p->a = y.i;
//|     o[0] = s.a + e + g + sum(3) + 0ul;
//| }
