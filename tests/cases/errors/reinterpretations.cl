kernel void f(global int *p, read_only image2d_t image, global ulong *o) {
    o[0] = __builtin_astype(image, ulong);
    o[0] = __builtin_astype(3, bool);
    o[0] = __builtin_convertvector(p, ulong2).x;
    global int *q = __builtin_astype(3, global int *);
    local int *l = __builtin_astype(p, local int *);
    o[0] = __builtin_astype(p, ulong);
    o[1] = *__builtin_astype(o[0], global ulong *);
}

// Diagnostics:
//| error:2:12: no matching function for call to 'as_ulong' with arguments of type '__read_only image2d_t'
//| error:3:12: 'int' cannot become 'bool'
//| error:4:12: no matching function for call to 'convert_ulong2' with arguments of type '__global int *'
//| error:5:21: 'int' cannot become '__global int *'
//| error:6:20: casting '__global int *' to type '__local int *' changes address space of pointer
