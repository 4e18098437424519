// 6.13: An attribute specifier is of the form __attribute__ ((attribute-list)).
// expect: error "expected '('" at line 4
kernel void single_parentheses(global int *out) {
    int a __attribute__(aligned(16)) = 1;
}
