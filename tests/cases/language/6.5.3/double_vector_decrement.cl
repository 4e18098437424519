// 6.5.3: Post- and pre-increment and decrement operate on built-in scalar and vector types except float types.
// expect: error "cannot decrement value of type 'double2'" at line 5
kernel void double_vector_decrement(global int *out) {
    double2 v = (double2)(1);
    --v;
}
