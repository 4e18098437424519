// 6.7.8: Variables inside a function not declared with an address space qualifier are private.
// expect: error "static local variable must reside in constant address space" at line 4
kernel void unqualified_static_in_1_2(global int *out) {
    static int n = 1;
}
