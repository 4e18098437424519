// 6.5.12: The comma operator returns the type and value of the right-most expression; all are evaluated from left to right.
// expect: error "not assignable" at line 5
kernel void comma_is_no_lvalue(global int *out) {
    int a = 1, b = 2;
    (a, b) = 3;
}
