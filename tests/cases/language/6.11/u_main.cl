// 6.11: u. A function in an OpenCL program cannot be called main.
// expect: error "main" at line 3
int main(void) { return 1; }
kernel void u_main(global int *out) {
    out[0] = 1;
}
