// 6.5.15: Other binary or unary expressions, function names and constants cannot be l-values.
// expect: error "not assignable" at line 5
enum { one };
kernel void enumerator_assigned(global int *out) {
    one = 2;
}
