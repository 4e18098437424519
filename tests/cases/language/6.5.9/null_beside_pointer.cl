// 6.5.9: If all three expressions are scalar values, the C99 rules for the ternary operator are followed.
// expect: valid
// result: 36
typedef struct { int first; int second; } pair;
int at(global const int *place) { return place ? *place : 5; }
kernel void null_beside_pointer(global int *out) {
    local int shared;
    pair own = {1, 2};
    shared = 4;
    int yes = out != NULL;
    out[0] = 8;
    global int *right = yes ? out : NULL, *left = yes ? NULL : out, *zero = yes ? out : 0;
    local int *near = yes ? &shared : NULL;
    global const int *fixed = yes ? (global const int *)out : (void *)0;
    int seen = (yes ? &own : NULL)->second + *(yes ? right : (void *)0);
    out[0] = seen + (left == NULL) + *zero + *near + *fixed + at(yes ? NULL : out);
}
