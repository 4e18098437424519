struct s { int a; int a; };
struct t;
kernel void f(global int *x, int n) {
    int vla[n];
    int twice; float twice;
    struct t incomplete;
    void nothing;
    struct s v = { 1, 2, 3 };
    int neg[-1];
    v.b = 1;
    v->a = 1;
    x.a = 1;
    int (*fp)(int) = 0;
    fp(1);
}

// Diagnostics:
//| error:1:23: duplicate member 'a'
//| error:4:9: variable length arrays are not supported in OpenCL
//| error:5:22: redefinition of 'twice'
//| error:6:14: variable has incomplete type 'struct t'
//| error:7:10: variable has incomplete type 'void'
//| error:8:14: variable has incomplete type 'struct s'
//| error:9:9: array size is negative
//| error:10:5: use of undeclared identifier 'v'
//| error:11:5: use of undeclared identifier 'v'
//| error:12:5: member reference type '__global int *' is a pointer; did you mean to use '->'?
//| error:13:11: pointers to functions are not allowed
//| error:14:5: called object 'fp' is not a function
