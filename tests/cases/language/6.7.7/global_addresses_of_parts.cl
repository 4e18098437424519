// 6.7.7: Variables at program scope can be initialized by compile time constants, which addresses are (C99 6.6).
// expect: valid
// options: -cl-std=CL2.0
// result: 12 11 5 2 6 7 6 8 1 2 3 10 4
typedef struct { int a; int b[4]; struct { char c; float d; } e; } GlobalPart;
global GlobalPart part, parts[3];
global int *element = &part.b[2], *counted = part.b + 1, *far = &parts[1].b[0] + 2, *arrow = &(parts + 1)->a, *star = &(*(parts + 2)).b[1];
global float *inner = &parts[1].e.d;
global GlobalPart *last = &parts[2], *middle = parts + 1;
global int grid[3][4];
global int *grid_row = grid[1], *in_grid = *(grid + 2) + 1, *cell = &grid[2][3];
kernel void global_addresses_of_parts(global int *out) {
    static global char room[10];
    static global char *room_end = room + 10;
    static global int square[2][2];
    static global int *second = square[1];
    part.b[1] = 11; part.b[2] = 12; parts[1].e.d = 5; parts[1].a = 6; parts[1].b[2] = 7; parts[2].b[1] = 8;
    grid[1][0] = 1; grid[2][1] = 2; grid[2][3] = 3; square[1][0] = 4;
    out[0] = *element; out[1] = *counted; out[2] = *inner; out[3] = last - parts; out[4] = middle->a; out[5] = *far; out[6] = *arrow;
    out[7] = *star; out[8] = *grid_row; out[9] = *in_grid; out[10] = *cell; out[11] = room_end - room; out[12] = *second;
}
