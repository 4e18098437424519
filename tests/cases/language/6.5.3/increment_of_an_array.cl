// 6.5.3: The expression must be one that could be assigned to (an l-value).
// expect: error "array type 'int [2]' is not assignable" at line 5
kernel void increment_of_an_array(global int *out) {
    int a[2];
    a++;
}
