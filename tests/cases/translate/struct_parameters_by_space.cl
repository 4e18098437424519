// options: -cl-std=CL3.0
typedef struct { int a[2]; } P;
kernel void asks(global int *o, P s, P t) { const P *q = &s; o[0] = (to_private(q) != 0) + t.a[o[1] & 1]; }

// Translated:
//| // options: -cl-std=CL3.0
//| struct P {
//|     int a[2];
//| };
//|
//| __global__ void asks(int *o, P s, const __grid_constant__ P t) {
//|     const P *q = &s;
//|     o[0] = (to_private(q) != nullptr) + t.a[o[1] & 1];
//| }
