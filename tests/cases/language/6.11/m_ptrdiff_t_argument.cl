// 6.11: m. Kernel arguments cannot be declared with bool, size_t, ptrdiff_t, intptr_t and uintptr_t.
// expect: error "'ptrdiff_t'" at line 3
kernel void m_ptrdiff_t_argument(global int *out, ptrdiff_t n) {
    out[0] = n;
}
