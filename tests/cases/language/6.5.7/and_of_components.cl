// 6.5.7: The and (&&) operator is evaluated from left to right; what lies in one vector or struct may be read together.
// expect: valid
// result: 1 0 0 0 1 0 1 1
typedef struct { float low[2], high[2]; int kind; } box;
kernel void and_of_components(global int *out) {
    local int4 keys[2];
    box boxes[2] = {{{1, 2}, {3, 4}, 1}, {{5, 6}, {7, 8}, 0}};
    keys[0] = (int4)(1, 2, 3, 4); keys[1] = (int4)(1, -2, 3, 4);
    int i = out[7] != 77 ? 0 : 1, j = 1 - i;
    out[0] = keys[i].x == 1 && keys[i].y == 2 && keys[i].z == 3;
    out[1] = keys[j].x == 1 && keys[j].y == 2 && keys[j].z == 3;
    out[2] = keys[i].x == 2 && keys[i].y == 2 && keys[i].z == 3;
    out[3] = keys[i].x == 1 && keys[i].y == 2 && keys[i].w == 3;
    out[4] = boxes[i].low[0] < 2.0f && boxes[i].high[0] > 2.0f && boxes[i].low[1] < 3.0f && boxes[i].high[1] > 3.0f && boxes[i].kind == 1;
    out[5] = boxes[j].low[0] < 2.0f && boxes[j].high[0] > 2.0f && boxes[j].low[1] < 3.0f && boxes[j].high[1] > 3.0f && boxes[j].kind == 1;
    out[6] = (keys[j].x < 0 && keys[j].y < 0) + (keys[j].x > 0 && keys[j].y < 0);
    out[7] = !(keys[i].x == 1 && keys[i].y == 1) == 1;
}
