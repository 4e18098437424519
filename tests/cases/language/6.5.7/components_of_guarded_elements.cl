// 6.5.7: The right-hand operand of && and || is not evaluated where the left-hand one decides.
// expect: valid
// result: 3 2 0 4 2
typedef struct { int value, weight; } item;
int count(int *calls) { (*calls)++; return 1; }
kernel void components_of_guarded_elements(global int *out) {
    int2 p[4]; item it[2] = {{1, 2}, {3, 4}}; global item *none = 0;
    for (int i = 0; i < 4; i++) p[i] = (int2)(i, 3 - i);
    int n = out[4] != 77 ? 4 : 0, found = 0, calls = 0, k = 0;
    for (int i = -2; i < 6; i++) if (i >= 0 && i < n && p[i & 3].x >= 1 && p[i & 3].y >= 0) found++;
    out[0] = found;
    out[1] = (p[0].x == 0 && count(&calls) && p[0].y == 3) + (p[0].x == 1 && count(&calls) && p[0].y == 3) + calls;
    out[2] = none && none->value > 0 && none->weight > 0;
    out[3] = (p[k++].x == 0 && p[k++].y == 2 && p[k++].x == 1) + k + (none || it[1].value == 3);
    out[4] = (it[0].value == 1 && 4 / it[0].weight == 2 && it[0].weight == 2) + (it[0].value == 1 || it[0].weight == 1);
}
