// 6.4.6: If the operands are of more than one vector type, then an error shall occur.
// expect: error "invalid operands" at line 6
kernel void int4_and_uint4(global int *out) {
    int4 i = (int4)(1);
    uint4 u = (uint4)(1);
    i = i + u;
}
