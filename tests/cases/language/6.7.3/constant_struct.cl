// 6.7.3: __constant variables may be declared in program scope or in the outermost kernel scope.
// expect: valid
// result: 7
struct s { int a, b; };
constant struct s v = {6, 7};
kernel void constant_struct(global int *out) {
    out[0] = v.b;
}
