// 6.12: clang's macros that say what the options allow.
// expect: valid
// result: 1 0 1
// options: -cl-finite-math-only
kernel void macros_of_finite_math(global int *out) {
    out[0] = __FINITE_MATH_ONLY__;
#ifdef __FAST_MATH__
    out[1] = 1;
#endif
    out[2] = __NO_MATH_ERRNO__;
}
