// 6.14.2: The following are valid Block variable declarations.
// expect: valid
// options: -cl-std=CL2.0
// result: 3 2
kernel void block_declarations(global int *out) {
    void (^nothing)(void) = ^(void) { out[1] = 2; };
    int (^two)(int, char) = ^(int a, char b) { return a + b; };
    nothing();
    out[0] = two(1, 2);
}
