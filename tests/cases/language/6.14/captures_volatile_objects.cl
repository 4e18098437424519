// 6.14: A block captures the values of the variables around it: of volatile vectors and structs too.
// expect: valid
// options: -cl-std=CL2.0
// result: 3 7 11
typedef struct { volatile int2 v; int x; } Held;
kernel void captures_volatile_objects(global int *out) {
    volatile int2 a = (int2)(1, 2);
    volatile Held h = { (int2)(3, 4), 5 };
    int (^both)(void) = ^{ return a.x + a.y; };
    int (^held)(int) = ^(int i) { int2 (^inner)(void) = ^{ return h.v + a[0]; }; return inner().y - i + 2; };
    a = (int2)(9);
    out[0] = both();
    out[1] = held(0);
    out[2] = ^(int2 c) { Held copy = h; return copy.v.x + copy.x + c.x; }((int2)(3));
}
