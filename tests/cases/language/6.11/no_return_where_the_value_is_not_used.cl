// 6.11: C99 6.9.1 holds: a function need not return a value where no caller uses it.
// expect: valid
// size: 4
// result: 1 2 3 4
int store(global int *out, int i) {
    for (int k = 0; k < 2; k++)
        out[i] = k + i;
}
kernel void no_return_where_the_value_is_not_used(global int *out) {
    int i = get_global_id(0);
    store(out, i);
}
