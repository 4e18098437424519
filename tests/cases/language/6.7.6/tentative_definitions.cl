// 6.7.6: Program scope variables are defined once; several declarations may come before (C99 6.9.2).
// expect: valid
// options: -cl-std=CL2.0
// result: 0 1 6 6
struct defined_later;
global struct defined_later tentative;
int is_null(global struct defined_later *p) { return p == 0; }
int tentative_is_null(void) { return is_null(&tentative); }
struct defined_later { int x; };
struct pointing { int x; global int *p; };
static global struct pointing forward;
global struct pointing *global to_forward = &forward;
global int six = 6;
static global struct pointing forward = { 1, &six };
kernel void tentative_definitions(global int *out) {
    out[0] = tentative.x + tentative_is_null();
    out[1] = to_forward->x;
    out[2] = *to_forward->p;
    out[3] = *forward.p;
}
