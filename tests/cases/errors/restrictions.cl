int (*function_pointer)(int);
void takes(int (*callback)(int));
struct callbacks { void (*f)(void); };
struct bits { int a : 3; };
struct flexible { int tail[]; };
void variadic(int n, ...);
int restrict number(void);
private int in_private(void);
local int *fine(void);
void spaced(local int x);
kernel void h(global int *x) {
    int restrict n;
    undeclared(x);
}

// Diagnostics:
//| error:1:7: pointers to functions are not allowed
//| error:1:7: program scope variable must reside in constant address space
//| error:2:18: pointers to functions are not allowed
//| error:3:27: pointers to functions are not allowed
//| error:4:19: bit-fields are not supported in OpenCL
//| error:5:23: flexible array member 'tail' in otherwise empty struct is not allowed
//| error:6:22: functions with variable numbers of arguments are not supported in OpenCL
//| error:7:14: restrict requires a pointer ('int' is invalid)
//| error:8:13: return type may not be qualified with an address space
//| error:10:23: parameter may not be qualified with an address space
//| error:12:18: restrict requires a pointer ('int' is invalid)
//| error:13:5: implicit declaration of function 'undeclared' is invalid in OpenCL
