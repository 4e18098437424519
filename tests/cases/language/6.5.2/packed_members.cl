// 6.5.2: The arithmetic post- and pre-increment and decrement operators: on members of packed structs too.
// expect: valid
// result: 3 4 7 5 1 0 8 2 -128
typedef struct __attribute__((packed)) { char c; short s; short list[2]; bool b; char d; } Packed;
kernel void packed_members(global int *out) {
    Packed a = { 1, 3, { 6, 7 }, true, 127 }, *p = &a;
    int n = 0;
    out[0] = a.s++;
    out[1] = p->s++;
    out[2] = ++a.list[n++] + 0 * n;
    out[3] = a.s--;
    out[4] = a.b--;
    out[5] = a.b;
    out[6] = p->list[n]++ + n;
    out[7] = ++p->c;
    ++a.d;
    out[8] = a.d++;
}
