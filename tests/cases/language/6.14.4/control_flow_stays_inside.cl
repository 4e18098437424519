// 6.14.4: continue, break and goto do not escape the Block.
// expect: error "'break' statement not in loop" at line 6
// options: -cl-std=CL2.0
kernel void control_flow_stays_inside(global int *out) {
    for (int i = 0; i < 2; i++) {
    ^{ break; }();
    }
}
