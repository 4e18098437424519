// 6.13.3: An attribute list at the beginning of a type applies to the variable, one after the body to the type.
// expect: valid
// result: 128 4 32
kernel void attributes_before_and_after(global int *out) {
    __attribute__((aligned(128))) struct A { int i; } a;
    struct B { int i; } __attribute__((aligned(32))) b;
    out[0] = __alignof__(a); out[1] = sizeof(struct A); out[2] = sizeof(b);
}
