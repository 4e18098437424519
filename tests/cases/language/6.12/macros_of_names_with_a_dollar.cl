// 6.12: -D takes every name that #define takes.
// expect: valid
// result: 1 5 3
// options: -D$one -D a$b=5 -D$sum(x,y)=x+y
kernel void macros_of_names_with_a_dollar(global int *out) {
    out[0] = $one; out[1] = a$b;
#pragma push_macro("a$b")
#undef a$b
#define a$b 2
    out[2] = $sum(1, a$b);
#pragma pop_macro("a$b")
    out[1] = a$b;
}
