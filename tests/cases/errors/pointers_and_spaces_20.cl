// options: -cl-std=CL2.0
int *anywhere;
constant int table[2] = {1, 2};
global int counter = 3;
global int *place = &counter;
constant int *global wrong = &counter;
private int none;
local int shared_one;
int sum(int *p) { return *p; }
kernel void f(global int *out, constant int *c, local int *l, int *bare, global int **rows) {
    global int *g = anywhere;
    anywhere = c;
    sum(c);
    out[0] = out == l;
    anywhere = out[0] ? out : l;
    char *text = "text";
    local int *other = (local int *)out;
    int *from = (int *)c;
    constant int *back = (constant int *)anywhere;
}

// Diagnostics:
//| error:6:30: initializing '__constant const int *' from '__global int *' changes address space of pointer
//| error:7:13: program scope variable must reside in global or constant address space
//| error:8:11: program scope variable must reside in global or constant address space
//| error:10:68: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//| error:10:87: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
//| error:11:21: initializing '__global int *' from '__generic int *' changes address space of pointer
//| error:12:16: assigning to '__generic int *' from '__constant const int *' changes address space of pointer
//| error:13:9: passing to parameter of type '__generic int *' from '__constant const int *' changes address space of pointer
//| error:14:18: comparison between ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces
//| error:15:23: conditional operator with the second and third operands of type ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces
//| error:16:18: initializing '__generic char *' from '__constant const char *' changes address space of pointer
//| error:17:24: casting '__global int *' to type '__local int *' changes address space of pointer
//| error:18:17: casting '__constant const int *' to type '__generic int *' changes address space of pointer
//| error:19:26: casting '__generic int *' to type '__constant const int *' changes address space of pointer
