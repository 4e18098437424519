// 6.11: a. Arguments to kernel functions cannot be pointers to pointers (OpenCL C 1.2 or below).
// expect: valid
// result: 5
int get(int **p) { return **p; }
kernel void a_pointer_to_pointer_in_a_function(global int *out) {
    int a = 5, *p = &a;
    out[0] = get(&p);
}
