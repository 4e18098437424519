// 6.3.7: The suffixes give vectors of components, which can be used as any others of their kind.
// expect: valid
// in: 0 1 2 3
// in: 1
// result: 30 6 25 58 7 0 0 0 5 9 51 4 2 1 3
struct __attribute__((packed)) unaligned { char c; int4 v; };
kernel void component_of_components_assigned(global int *out, global int4 *in, int i) {
    int4 v = in[0];
    v.hi[0] = 20;
    v.xyz[1] += 5;
    v.s31[i]--;
    v.wzyx[3] = 30;
    v.s31[0] = 58;
    v.odd[i - 1]++;
    v.hi[0] += 5;
    *(global int4 *)out = v;
    in[0].hi[i] = 7;
    out[4] = in[0].s31[0];
    struct unaligned p = { 0, (int4)(1, 2, 3, 4) };
    p.v.hi[i] = 5;
    p.v.s31[i] *= 3;
    p.v.lo[0] = 9;
    volatile int4 w = p.v;
    w.hi[i] += 46;
    out[8] = p.v.w;
    out[9] = w.x;
    out[10] = w.w;
    const int4 same = (int4)(4, 3, 2, 1);
    out[11] = same.xz[0];
    out[12] = same.xz[i];
    out[13] = (same + 0).zw[i];
    out[14] = (same + 0).yz[0];
}
