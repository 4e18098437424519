// 6.14.5: A block cannot be a return value of a function.
// expect: error "return value" at line 5
// options: -cl-std=CL2.0
typedef int (^bl_t)(int);
bl_t f(void);
kernel void block_as_a_result(global int *out) {
    out[0] = 1;
}
