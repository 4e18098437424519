// 6.5.3: The expression must be one that could be assigned to (an l-value).
// expect: error "not assignable" at line 5
kernel void increment_of_an_increment(global int *out) {
    int a = 1;
    (a++)++;
}
