// 6.3.5: A data item declared to be a data type in memory is always aligned to the size of the data type in bytes.
// expect: valid
// result: 16 24
typedef struct { int a; long b; int c; } holder;
typedef struct { int a; int c; long b; } tighter;
kernel void long_in_a_struct(global int *out) {
    out[0] = sizeof(tighter); out[1] = sizeof(holder);
}
