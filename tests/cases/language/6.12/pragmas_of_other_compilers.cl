// 6.12: A #pragma directive that is not recognised is ignored (C99 6.10.6), wherever it stands.
// expect: valid
// result: 7
#pragma omp simd
constant int listed[] = { 1,
#pragma region numbers
    2 };
enum Counted { none,
#pragma GCC diagnostic ignored "-Wall"
    some };
__attribute__((always_inline))
#pragma ivdep
int doubled(int a) { return 2 *
#pragma clang diagnostic push
    a; }
kernel
#pragma
void pragmas_of_other_compilers(
#pragma HLS interface
    global int *out) {
    out[0] = listed[1] + some + doubled(2)
#pragma foo
    ;
#pragma bar
}
#pragma endregion
