// 6.12: The preprocessing directives defined by the C99 specification are supported.
// expect: valid
// result: 3
kernel/**/void comments_are_spaces(global int *out) { // one
    out[0] = 1 /* two */ + /* three
    lines */ 2;
}
