// 6.14.4: continue, break and goto do not escape the Block.
// expect: valid
// options: -cl-std=CL2.0
// result: 10
kernel void loop_inside_a_block(global int *out) {
    int (^sum)(int) = ^(int n) {
        int s = 0;
        for (int i = 0; i <= n; i++) { if (i == 9) break; s += i; }
        return s;
    };
    out[0] = sum(4);
}
