// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 1 2 3 4
#define VECTOR(type, n) type##n
kernel void pasted_vector_type(global VECTOR(int, 4) *out) {
    out[0] = (VECTOR(int, 4))(1, 2, 3, 4);
}
