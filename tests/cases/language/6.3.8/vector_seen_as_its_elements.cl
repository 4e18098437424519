// 6.3.8: The OpenCL C built-in vector data types are considered aggregate types for aliasing.
// expect: valid
// result: 1 2 3 4
kernel void vector_seen_as_its_elements(global int4 *out) {
    global int *elements = (global int *)out;
    for (int i = 0; i < 4; i++)
        elements[i] = i + 1;
}
