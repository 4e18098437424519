typedef struct { float a[4]; float4 b; float c; } P;
float first(const P *p, int i) { return p->a[i & 3]; }
float changed(P *p) { return p->c = 1; }
kernel void read(global float *o, P s, const P t) { o[0] = s.a[get_local_id(0)] + s.b.y + vload2(0, t.a).x; P u = s; u.c = 2; o[1] = u.c; }
kernel void lent(global float *o, P s) { const float *a = s.a; o[0] = first(&s, 1) + a[2]; read(o, s, s); }
kernel void stored(global float *o, P s, P t, P u, P v) { s.c = 1; t.a[1]++; u.b.xy = 3; float *a = v.a; o[0] = s.c + t.a[1] + u.b.x + a[0]; }
typedef struct { float x; int2 y; } Q;
kernel void plain(global float *o, Q q, Q r) { const Q *p = &r; o[0] = q.x + q.y.x + p->x; }
kernel void passed(global float *o, P s) { o[0] = changed(&s); }

// Translated:
//| struct P {
//|     float a[4];
//|     float4 b;
//|     float c;
//| };
//|
//| __device__ float first(const P *p, int i) {
//|     return p->a[i & 3];
//| }
//|
//| __device__ float changed(P *p) {
//|     return p->c = 1;
//| }
//|
//| __device__ void read_body(float *o, P s, const P t) {
//|     o[0] = s.a[get_local_id(0)] + s.b.y + vload2(0, t.a).x;
//|     P u = s;
//|     u.c = 2;
//|     o[1] = u.c;
//| }
//|
//| __global__ void read(float *o, const __grid_constant__ P s, const __grid_constant__ P t) {
//|     read_body(o, s, t);
//| }
//|
//| __global__ void lent(float *o, const __grid_constant__ P s) {
//|     const float *a = s.a;
//|     o[0] = first(&s, 1) + a[2];
//|     read_body(o, s, s);
//| }
//|
//| __global__ void stored(float *o, P s, P t, P u, P v) {
//|     s.c = 1;
//|     t.a[1]++;
//|     u.b.set_xy(float2{3.0f, 3.0f});
//|     float *a = v.a;
//|     o[0] = s.c + t.a[1] + u.b.x + a[0];
//| }
//|
//| struct Q {
//|     float x;
//|     int2 y;
//| };
//|
//| __global__ void plain(float *o, Q q, const __grid_constant__ Q r) {
//|     const Q *p = &r;
//|     o[0] = q.x + q.y.x + p->x;
//| }
//|
//| __global__ void passed(float *o, P s) {
//|     o[0] = changed(&s);
//| }
