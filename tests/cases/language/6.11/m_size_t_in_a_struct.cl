// 6.11: m. Kernel arguments cannot be declared with bool, size_t, ptrdiff_t, intptr_t and uintptr_t.
// expect: error "size_t" at line 4
struct s { int a; size_t n; };
kernel void m_size_t_in_a_struct(global int *out, struct s v) {
    out[0] = v.n;
}
