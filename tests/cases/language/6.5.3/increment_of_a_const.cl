// 6.5.3: The expression must be one that could be assigned to (an l-value).
// expect: error "const" at line 5
kernel void increment_of_a_const(global int *out) {
    const int a = 1;
    a++;
}
