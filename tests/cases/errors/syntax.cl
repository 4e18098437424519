kernel void f(global int *x) {
    x[0] = 1
    x[1] = 2;
    x[2] = (3;
    if (x[0] x[1] = 1;
}
kernel void g(global int *x) { x[0] = }

// Diagnostics:
//| error:2:13: expected ';' after expression
//| error:4:14: expected ')'
//| error:5:14: expected ')'
//| error:7:39: expected expression
