// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 1
#if -1 > 0u
#define ANSWER 1
#else
#define ANSWER 2
#endif
kernel void unsigned_conditions(global int *out) {
    out[0] = ANSWER;
}
