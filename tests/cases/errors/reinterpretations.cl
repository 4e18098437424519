kernel void f(global int *p, read_only image2d_t image, global ulong *o) {
    o[0] = __builtin_astype(image, ulong);
    o[0] = __builtin_astype(3, bool);
    o[0] = __builtin_convertvector(p, ulong2).x;
    global int *q = __builtin_astype(3, global int *);
    local int *l = __builtin_astype(p, local int *);
    o[0] = __builtin_astype(p, ulong);
    o[1] = *__builtin_astype(o[0], global ulong *);
    o[2] = as_int((short)1);
    o[3] = as_int3((int2)(1)).x;
    o[4] = as_char(true);
    o[5] = as_int();
}

// Diagnostics:
//| error:2:12: no matching function for call to 'as_ulong' with arguments of type '__read_only image2d_t'
//| error:3:12: 'int' cannot become 'bool'
//| error:4:12: no matching function for call to 'convert_ulong2' with arguments of type '__global int *'
//| error:5:21: 'int' cannot become '__global int *'
//| error:6:20: casting '__global int *' to type '__local int *' changes address space of pointer
//| error:9:12: invalid reinterpretation: sizes of 'int' and 'short' must match
//| error:10:12: invalid reinterpretation: sizes of 'int3' and 'int2' must match
//| error:11:12: no matching function for call to 'as_char' with arguments of type 'bool'
//| error:12:12: no matching function for call to 'as_int' with arguments of type none
