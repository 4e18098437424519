// 6.12: clang's macros that say what the options allow.
// expect: valid
// result: 1 1 1
// options: -cl-fast-relaxed-math -cl-opt-disable
kernel void macros_of_fast_math(global int *out) {
    out[0] = __FINITE_MATH_ONLY__;
    out[1] = __FAST_MATH__;
#if !defined __OPTIMIZE__ && __NO_INLINE__
    out[2] = 1;
#endif
}
