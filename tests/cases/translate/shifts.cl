kernel void shifts(global int *out, int x, long y, uint count) {
    out[0] = x << 3;
    out[1] = x << count;
    out[2] = x >> 33;
    out[3] = (int)(y >> count);
    x <<= count;
    y >>= 2;
    int4 v = (int4)(x) << 2;
    v = v >> v.wzyx;
    out[4] = v.x + (int)y;
}

// Translated:
//| __global__ void shifts(int *out, int x, long y, uint count) {
//|     out[0] = x << 3;
//|     out[1] = x << (count & 31);
//|     out[2] = x >> 1;
//|     out[3] = (int)(y >> (count & 63));
//|     x <<= count & 31;
//|     y >>= 2;
//|     int4 v = splat<int4>(x) << 2;
//|     v = v >> v.wzyx();
//|     out[4] = v.x + (int)y;
//| }
