// 6.11: m. Kernel arguments cannot be declared with bool, size_t, ptrdiff_t, intptr_t and uintptr_t.
// expect: error "'bool'" at line 3
kernel void m_bool_argument(global int *out, bool b) {
    out[0] = b;
}
