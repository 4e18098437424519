// 6.11: d. Variable length arrays are not supported: the length that a const variable has is known, and compilers take it.
// expect: valid
// result: 9 36 8 3
constant int N = 3;
constant uchar BYTES = 260;
struct row { int v[N]; };
kernel void d_array_sized_by_const_variables(global int *out) {
    const int twice = 2 * N;
    enum { LAST = twice + N };
    int a[twice][N + BYTES - 1];
    struct row r[] = { [N - 1] = {{ [1] = 8 }} };
    a[5][5] = LAST;
    out[0] = a[5][5];
    out[1] = sizeof a / sizeof(int);
    out[2] = r[2].v[1];
    switch (get_local_size(0) + 5) {
    case twice: out[3] = N; break;
    case twice + 1 ... 2 * twice: out[3] = 0;
    }
}
