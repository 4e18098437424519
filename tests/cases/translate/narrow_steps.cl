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
