// 6.14.5: arrays are captured by reference (decayed to pointers) and structs are captured by value.
// expect: valid
// options: -cl-std=CL2.0
// result: 1 8
kernel void block_captures_arrays_and_structs(global int *out) {
    struct v { int arr[2]; } s = {0, 1};
    int (^bl1)(void) = ^(){ return s.arr[1]; };
    int arr[2] = {0, 1};
    int (^bl2)(void) = ^(){ return arr[1]; };
    s.arr[1] = arr[1] = 8;
    out[0] = bl1();
    out[1] = bl2();
}
