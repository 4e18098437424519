// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression; in loops CUDA keeps it under its condition.
// expect: valid
// result: 4 6 -3 14 3 4 6 100
kernel void add_under_a_condition(global int *out) {
    int x[8] = {3, 1, 4, 1, 5, 9, 2, 6}, least = out[7] != 77 ? 3 : 0, big = 0, last = 0, below = 0, sum = 0, nested = 0, small = 0, odd = 0;
    uint many = 0;
    for (int i = 0; i < 8; i++) {
        if (x[i] > least) big++;
        last += x[i] >= least - 1 ? 1 : 0;
        below -= x[i] < least && x[i] >= least - 2;
        if (x[i] > least + 1) { sum += x[i]; small--; } else small += 2;
        if (x[i] > least) if (x[i] < 7) nested++;
        many += x[i] == least || x[i] == least + 1 || x[i] == least + 2 ? 2 : 0;
        odd += least * 12 + 14;
    }
    out[0] = big; out[1] = last; out[2] = below; out[3] = sum - 6; out[4] = nested; out[5] = small - 3; out[6] = many; out[7] = odd - 300;
}
