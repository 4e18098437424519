// 6.4.3: The number of elements in the source and destination vectors must match.
// expect: error "convert_int4" at line 5
kernel void fewer_elements_than_the_destination(global int *out) {
    uchar2 u = (uchar2)(1);
    int4 c = convert_int4(u);
}
