// 6.13.1: aligned (alignment): a minimum alignment for variables of the specified type.
// expect: valid
// result: 32
struct __attribute__((aligned(32))) S { char c; };
kernel void aligned_between_keyword_and_name(global int *out) {
    out[0] = sizeof(struct S);
}
