// 6.11: a. Pointers to functions are not allowed; functions are declared by the name of a typedef, too (C99 6.7.5.3).
// expect: valid
// result: 7 12
typedef int of_int(int);
typedef int of_pointer(global const int *restrict, const int), nothing(void);
of_int twice;
static of_int thrice;
of_pointer at;
nothing four;
int four(void) { return 4; }
int twice(int x) { of_int thrice; return thrice(x) - x; }
int thrice(int x) { return 3 * x; }
int at(global const int *restrict x, const int i) { return x[i] + four(); }
kernel void functions_declared_by_a_typedef(global int *out) {
    of_int twice;
    out[0] = 3;
    out[0] = at(out, 0);
    out[1] = twice(6);
}
