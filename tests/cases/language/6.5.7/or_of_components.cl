// 6.5.7: The or (||) operator is evaluated from left to right; what lies in one vector may be read together.
// expect: valid
// result: 1 1 0 1 0 7 1 0
kernel void or_of_components(global int *out) {
    local float4 p[2];
    p[0] = (float4)(1.0f, 2.0f, 3.0f, NAN); p[1] = (float4)(-1.0f, -2.0f, -3.0f, 0.0f);
    int i = out[7] != 77 ? 0 : 1, j = 1 - i;
    out[0] = p[i].x > 0.5f || p[i].y > 5.0f;
    out[1] = p[i].x > 5.0f || p[i].y > 0.5f;
    out[2] = p[i].x > 5.0f || p[i].y > 5.0f || p[i].w > 0.0f || p[i].w <= 0.0f;
    out[3] = p[j].x > 0.0f || fabs(p[j].y) > 1.5f || i != j;
    out[4] = (p[j].x > 0.0f || p[j].y > 0.0f) && i != j;
    out[5] = p[i].x < 0.0f || p[i].y < 0.0f ? 5 : 7;
    out[6] = (p[i].x > 0.0f && p[i].y < 0.0f) || (p[i].x > 0.0f && p[i].y > 0.0f);
    out[7] = p[j].x * p[j].x + p[j].y * p[j].y < 4.0f || p[j].z * p[j].z < 4.0f;
}
