// 6.11: As in C99 6.8.4, a selection statement is a block: what its condition defines is not known behind it.
// expect: error "undeclared" at line 6
kernel void type_of_a_condition_behind_its_statement(global int *out) {
    if (sizeof(enum { only_here }))
        out[0] = only_here;
    out[1] = only_here;
}
