// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 97 3
#define TEXT(x) #x
kernel void stringized_argument(global int *out) {
    constant char *s = TEXT(ab);
    out[0] = s[0]; out[1] = sizeof(TEXT(ab));
}
