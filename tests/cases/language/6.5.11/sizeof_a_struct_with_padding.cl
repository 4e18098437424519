// 6.5.11: The sizeof operator yields the size of its operand, an expression or the parenthesized name of a type.
// expect: valid
// result: 12 8
struct s { char c; int i; char d; };
struct t { char c; char d; int i; };
kernel void sizeof_a_struct_with_padding(global int *out) {
    out[0] = sizeof(struct s); out[1] = sizeof(struct t);
}
