void twice(float float x);
void two(int float x);
void no_sign(unsigned float x);
void lengths(short long x);
void signs(unsigned signed x);
kernel void f(global int *x) {
    float4 int v;
    unsigned unsigned u = 1;
    long signed int l = 1;
    x[0] = u + l;
}

// Diagnostics:
//| error:1:12: 'float float' is no type: these specifiers cannot be combined
//| error:2:10: 'int float' is no type: these specifiers cannot be combined
//| error:3:14: 'unsigned float' is no type: these specifiers cannot be combined
//| error:4:14: 'short long' is no type: these specifiers cannot be combined
//| error:5:12: 'unsigned signed' is no type: these specifiers cannot be combined
//| error:7:5: 'float4 int' is no type: these specifiers cannot be combined
