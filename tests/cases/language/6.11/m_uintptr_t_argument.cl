// 6.11: m. Kernel arguments cannot be declared with bool, size_t, ptrdiff_t, intptr_t and uintptr_t.
// expect: error "'uintptr_t'" at line 3
kernel void m_uintptr_t_argument(global int *out, uintptr_t n) {
    out[0] = n;
}
