// 6.11: m. Kernel arguments cannot be declared with bool, size_t, ptrdiff_t, intptr_t and uintptr_t.
// expect: error "bool" at line 4
struct s { bool b; };
kernel void m_bool_in_a_struct(global int *out, struct s v) {
    out[0] = v.b;
}
