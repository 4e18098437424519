kernel void f(global float *out, int count) {
    out[0] = cuont;
    out[1] = undefined_thing + 1;
}

// Diagnostics:
//| error:2:14: use of undeclared identifier 'cuont'
//| error:3:14: use of undeclared identifier 'undefined_thing'
