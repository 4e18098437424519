// 6.7.1: A buffer memory object can be declared as a pointer to a scalar, vector or user-defined struct.
// expect: valid
// result: 7 9
typedef struct { int a; int b[2]; } foo_t;
kernel void pointer_to_a_struct(global int *out) {
    global foo_t *info = (global foo_t *)out;
    info->a = 7;
    info->b[0] = 9;
}
