// 6.5.15: The ternary operator (?:) is also not allowed as an l-value.
// expect: error "not assignable" at line 5
kernel void ternary_assigned(global int *out) {
    int a, b;
    (out ? a : b) = 2;
}
