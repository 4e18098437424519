kernel void scalars(global float *out, char c, ushort us, ulong ul, double d, uint n) {
    int i = get_global_id(0);
    unsigned int u = 0xffffffffu;
    long big = 4294967296;
    uchar narrow = i * 3;
    bool flag = i > 2 && !c;
    float f = flag ? 1 : 2.5f;
    f += c + us * 2;
    f = -f / (n + 1) + d;
    i = (int)f % 7;
    i = ~i ^ (i | 1) & 6;
    out[0] = f + narrow + (float)ul + u + big;
    out[1] = i++ + --i, out[2] = 1e-3f + .5f + 0x1p3f;
}

// Translated:
//| __global__ void scalars(float *out, char c, ushort us, ulong ul, double d, uint n) {
//|     int i = get_global_id(0);
//|     unsigned int u = 0xffffffffu;
//|     long big = 4294967296;
//|     uchar narrow = i * 3;
//|     bool flag = i > 2 && !c;
//|     float f = flag ? 1 : 2.5f;
//|     f += c + us * 2;
//|     f = -f / (n + 1) + d;
//|     i = (int)f % 7;
//|     i = ~i ^ ((i | 1) & 6);
//|     out[0] = f + narrow + (float)ul + u + big;
//|     out[1] = i++ + --i, out[2] = 1e-3f + .5f + 0x1p3f;
//| }
