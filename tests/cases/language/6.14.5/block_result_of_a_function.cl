// 6.14.5: A block cannot be a return value of a function.
// expect: error "declaring function return value" at line 5
// options: -cl-std=CL2.0
typedef int (^T)(void);
T make(void);
kernel void block_result_of_a_function(global int *out) {
    out[0] = 1;
}
