// 6.3.1: void: an incomplete type that cannot be completed.
// expect: error "'void'" at line 4
kernel void void_array(global int *out) {
    void a[2];
}
