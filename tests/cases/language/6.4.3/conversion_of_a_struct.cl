// 6.4.3: The full form of the convert function is convert_destType<_sat><_roundingMode>(sourceType).
// expect: error "convert_int" at line 6
struct s { int a; };
kernel void conversion_of_a_struct(global int *out) {
    struct s v = {1};
    out[0] = convert_int(v);
}
