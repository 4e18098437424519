#define TWICE(x) ((x) + nope)
kernel void f(global int *x) {
    x[0] = TWICE(1);
    x[1] = 1 +
        missing;
}

// Diagnostics:
//| error:3:12: use of undeclared identifier 'nope'
//| error:5:9: use of undeclared identifier 'missing'
