// 6.12: clang's macros that say what the options allow.
// expect: valid
// result: 0 1
kernel void macros_without_options(global int *out) {
    out[0] = __FINITE_MATH_ONLY__;
#if defined __OPTIMIZE__ && !defined __NO_INLINE__ && !defined __FAST_MATH__
    out[1] = 1;
#endif
}
