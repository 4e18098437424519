// 6.4.5: Pointers to old and new types may be cast back and forth to each other.
// expect: valid
// result: 1 1 0 3 8
struct announces { struct tag_in_two_scopes *x; };
kernel void structs_of_one_tag_in_two_scopes(global int *out) {
    struct announces s = { 0 };
    struct tag_in_two_scopes { int x; } *p = 0;
    out[0] = s.x == p;
    struct tag_in_two_scopes three = { 3 };
    p = &three;
    s.x = p;
    out[1] = p == s.x;
    out[2] = s.x < p;
    p = s.x;
    out[3] = p->x;
    {
        struct tag_in_two_scopes { long y; } third;
        out[4] = sizeof(third);
    }
}
