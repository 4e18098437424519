// 6.5.3: The expression must be one that could be assigned to (an l-value).
// expect: error "not assignable" at line 4
kernel void increment_of_a_constant(global int *out) {
    out[0] = 5++;
}
