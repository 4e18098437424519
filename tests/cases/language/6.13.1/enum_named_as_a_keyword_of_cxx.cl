// 6.13.1: enumerations, records and their members may have names that are keywords of C++.
// expect: valid
// result: 1 7
enum public { private_one, operator };
struct class { int new; enum public template; };
union namespace { int this; float delete; };
kernel void enum_named_as_a_keyword_of_cxx(global int *out) {
    enum public friend = operator;
    struct class catch = {3, operator};
    union namespace typename = {.this = 4};
    out[0] = friend;
    out[1] = catch.new + typename.this;
}
