float helper(float *p) { return *p; }
float table[2] = {1, 2};
global float scratch[4];
constant float missing;
kernel void f(global float *out, float *raw, constant float *c, local float *l) {
    helper(out);
    global float *p = l;
    *c = 1;
    local float x = 2;
    constant float k;
    local float *q = (local float *)out;
}
float g(int n) { local float tile[4]; return tile[n]; }

// Diagnostics:
//| error:2:7: program scope variable must reside in constant address space
//| error:3:14: program scope variable must reside in constant address space
//| error:4:16: variable in constant address space must be initialized
//| error:5:41: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//| error:6:12: passing to parameter of type '__private float *' from '__global float *' changes address space of pointer
//| error:7:23: initializing '__global float *' from '__local float *' changes address space of pointer
//| error:8:8: cannot assign to location with const-qualified type 'const float'
//| error:9:17: '__local' variable cannot have an initializer
//| error:10:20: variable in constant address space must be initialized
//| error:11:22: casting '__global float *' to type '__local float *' changes address space of pointer
//| error:13:30: non-kernel function variable cannot be declared in local address space
