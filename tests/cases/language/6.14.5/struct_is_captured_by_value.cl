// 6.14.5: Structs are captured by value, arrays by reference.
// expect: valid
// options: -cl-std=CL2.0
// result: 1
struct v { int arr[2]; };
kernel void struct_is_captured_by_value(global int *out) {
    struct v s = {{0, 1}};
    int (^get)(void) = ^{ return s.arr[1]; };
    s.arr[1] = 8;
    out[0] = get();
}
