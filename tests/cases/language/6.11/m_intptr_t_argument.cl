// 6.11: m. Kernel arguments cannot be declared with bool, size_t, ptrdiff_t, intptr_t and uintptr_t.
// expect: error "'intptr_t'" at line 3
kernel void m_intptr_t_argument(global int *out, intptr_t n) {
    out[0] = n;
}
