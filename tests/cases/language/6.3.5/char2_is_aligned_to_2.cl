// 6.3.5: A data item declared to be a data type in memory is always aligned to the size of the data type in bytes.
// expect: valid
// result: 2 4
typedef struct { char c; char2 v; } pair;
kernel void char2_is_aligned_to_2(global int *out) {
    pair p;
    out[0] = (int)((uintptr_t)&p.v - (uintptr_t)&p);
    out[1] = sizeof(pair);
}
