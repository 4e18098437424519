// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 6
#define ONE 1
#define TWO (ONE + ONE)
#define SIX (TWO * 3)
kernel void macro_in_a_macro(global int *out) {
    out[0] = SIX;
}
