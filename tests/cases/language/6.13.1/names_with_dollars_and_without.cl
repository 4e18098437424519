// 6.13.1: names with a dollar sign are other names than those that the translation makes of them, as are words of C++ and these with a _.
// expect: valid
// result: 1 2 3 4 5 6 7 8
struct record { int a$b, a_dollar_b, a_dollars_b; };
kernel void names_with_dollars_and_without(global int *out) {
    struct record r = {1, 2, 3};
    int class = 4, class_ = 5, class__ = 6, a$_b = 7, a_dollar__b = 8;
    out[0] = r.a$b; out[1] = r.a_dollar_b; out[2] = r.a_dollars_b;
    out[3] = class; out[4] = class_; out[5] = class__; out[6] = a$_b; out[7] = a_dollar__b;
}
