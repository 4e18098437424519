// 6.11: m. Kernel arguments cannot be declared with bool, size_t, ptrdiff_t, intptr_t and uintptr_t.
// expect: valid
// result: 4
size_t twice(size_t n) { return n + n; }
kernel void m_size_t_in_a_function(global int *out) {
    out[0] = twice(2);
}
