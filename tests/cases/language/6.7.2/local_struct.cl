// 6.7.2: __local variables are allocated in local memory and shared by all work-items in a work-group.
// expect: valid
// result: 5
struct s { int a; float f; };
kernel void local_struct(global int *out) {
    local struct s shared_one;
    shared_one.a = 5;
    out[0] = shared_one.a;
}
