// 6.7.9: A pointer to global, local or private can be implicitly converted to generic but not vice-versa.
// expect: valid
// options: -cl-std=CL2.0
// result: 42
kernel void assigned_by_a_condition(global int *out, local int *l) {
    int *var;
    if (get_global_id(0) == 0)
        var = out;
    else
        var = l;
    *var = 42;
}
