// 6.12: __FAST_RELAXED_MATH__ is 1 if -cl-fast-relaxed-math is specified and undefined otherwise.
// expect: valid
// result: 1
// options: -cl-fast-relaxed-math
kernel void fast_relaxed_math_is_defined(global int *out) {
    out[0] = __FAST_RELAXED_MATH__;
}
