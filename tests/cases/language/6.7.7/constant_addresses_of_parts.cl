// 6.7.7: Variables in the __constant address space are required to be initialized by a compile time constant.
// expect: valid
// result: 7 30 5 2 8 3
typedef struct { char kind; int2 pair; struct { short a; int rows[2][3]; } inner; } Shape;
constant Shape shapes[2] = {{1, {2, 3}, {4, {{5, 6, 7}, {8, 9, 10}}}}, {11, {12, 13}, {14, {{15, 16, 17}, {18, 19, 20}}}}};
constant int numbers[3] = {10, 20, 30};
constant int *constant in_a_row = &shapes[0].inner.rows[0][2];
constant int *constant last = numbers + 3;
constant int (*constant row)[3] = &shapes[0].inner.rows[1];
constant int2 *constant pair = &shapes[0].pair;
constant char *constant byte = (constant char *)numbers + 4;
constant Shape *constant second = shapes + 1;
kernel void constant_addresses_of_parts(global int *out) {
    out[0] = *in_a_row; out[1] = last[-1]; out[2] = in_a_row[-2]; out[3] = pair->x; out[4] = (*row)[0]; out[5] = second->kind - *byte / 10 * 4;
}
