// 6.3.9: Names reserved as keywords by C99 shall not be used otherwise.
// expect: valid
// result: 15
kernel void cxx_keywords_are_names(global int *out) {
    int class = 1, new = 2, template = 4, this = 8;
    out[0] = class + new + template + this;
}
