// 6.12: __FAST_RELAXED_MATH__ is 1 if -cl-fast-relaxed-math is specified and undefined otherwise.
// expect: valid
// result: 0
kernel void fast_relaxed_math_is_not_defined(global int *out) {
#ifdef __FAST_RELAXED_MATH__
    out[0] = 1;
#else
    out[0] = 0;
#endif
}
