kernel void narrow_steps(global int *out, short s, char c, ushort u) {
    s++;
    --c;
    u++;
    for (char i = 0; i < 3; i++) out[i] = s++ + --c;
    short2 v = (short2)(s);
    v.x++;
    v++;
    out[4] = v.x + v.y-- + u++;
}

// Translated:
//| __global__ void narrow_steps(int *out, short s, char c, ushort u) {
//|     s += 1;
//|     c -= 1;
//|     u++;
//|     for (char i = 0; i < 3; i += 1)
//|         out[i] = post_step(s, 1) + (c -= 1);
//|     short2 v = splat<short2>(s);
//|     v.x += 1;
//|     v++;
//|     out[4] = v.x + post_step(v.y, -1) + u++;
//| }
