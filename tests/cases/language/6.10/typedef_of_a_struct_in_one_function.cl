// 6.10: The typedef storage-class specifier can be used for types inside a function, where their names end with their scope.
// expect: valid
// result: 7
struct known_everywhere { int a; };
int sees_a_typedef(int x) {
    typedef struct known_everywhere known_here;
    known_here y = { x };
    return y.a;
}
kernel void typedef_of_a_struct_in_one_function(global int *out) {
    struct known_everywhere z = { sees_a_typedef(7) };
    out[0] = z.a;
}
