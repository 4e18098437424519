// 6.11: m. Kernel arguments cannot be declared with bool, size_t, ptrdiff_t, intptr_t and uintptr_t.
// expect: error "'size_t'" at line 3
kernel void m_size_t_argument(global int *out, size_t n) {
    out[0] = n;
}
