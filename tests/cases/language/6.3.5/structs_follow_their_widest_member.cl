// 6.3.5: vload3 and vstore3 read and write 3-component vectors from an array of packed scalars.
// expect: valid
// result: 64 16
typedef struct { char c; float8 v; } wide;
typedef union { char c[9]; double d; } shared_room;
kernel void structs_follow_their_widest_member(global int *out) {
    out[0] = sizeof(wide); out[1] = sizeof(shared_room);
}
