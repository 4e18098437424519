// 6.13.3: packed of a field: it immediately follows the one before it.
// expect: valid
// result: 9 1
struct foo { char a; int x[2] __attribute__ ((packed)); };
kernel void packed_field(global int *out) {
    struct foo f;
    out[0] = sizeof(f); out[1] = (int)((uintptr_t)f.x - (uintptr_t)&f);
}
