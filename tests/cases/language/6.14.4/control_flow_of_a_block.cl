// 6.14.4: The compound statement of a Block is treated much like a function body with respect to control flow.
// expect: valid
// options: -cl-std=CL2.0
// result: 1 2
kernel void control_flow_of_a_block(global int *out) {
    int (^b)(int) = ^(int n) { for (int i = 0;; i++) { if (i == n) break; if (i == 2) return 2; } return 1; };
    out[0] = b(1);
    out[1] = b(9);
}
