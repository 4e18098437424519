// 6.3.2: Supported values of n are 2, 3, 4, 8, and 16 for all vector data types.
// expect: error "expected ';'" at line 4
kernel void unsigned_vector_word(global int *out) {
    unsigned int4 a;
}
