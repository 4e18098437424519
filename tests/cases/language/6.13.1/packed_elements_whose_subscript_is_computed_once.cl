// 6.13.1: packed: an element of a member is found once, and nothing takes it for aligned as its type is.
// expect: valid
// result: 10 106 4 20 106 14 7
typedef struct __attribute__((packed)) { uchar first; long2 pairs[4]; } narrow;
int next(int *calls) { return (*calls)++ & 3; }
kernel void packed_elements_whose_subscript_is_computed_once(global int *out) {
    narrow n = { 7, { (long2)(1, 2), (long2)(3, 4), (long2)(5, 6), (long2)(7, 8) } };
    int calls = 1;
    long2 turned = n.pairs[next(&calls)].yx = (long2)(10, 20);
    out[0] = (int)turned.x;
    long added = n.pairs[next(&calls)].y += 100;
    out[1] = (int)added;
    n.pairs[next(&calls)] *= 2;
    out[2] = calls;
    out[3] = (int)n.pairs[1].x;
    out[4] = (int)n.pairs[2].y;
    out[5] = (int)n.pairs[3].x;
    out[6] = n.first;
}
