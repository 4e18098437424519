// 6.3.1: intptr_t: any valid pointer to void can be converted to this type, then converted back.
// expect: valid
// result: 5
kernel void intptr_t_round_trip(global int *out) {
    intptr_t bits = (intptr_t)(out + 1);
    *(global int *)(bits - sizeof(int)) = 5;
}
