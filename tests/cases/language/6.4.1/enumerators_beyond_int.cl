// 6.4.1: constants of an enumeration are ints (C99 6.7.2.2), as clang has it also where another one needs more. The enumeration is the first of uint and ulong, or of int and long, that holds all.
// expect: valid
// result: 1 1 1 1 0 1 1 4 4 8 8 12 1
enum wide { one = 1, most = 0xffffffff };
enum longer { two = 2, beyond = 0x100000000 };
enum negative { less = -1, more = 0x80000000 };
struct holder { char c; enum wide w; char d; };
kernel void enumerators_beyond_int(global int *out) {
    out[0] = one - 2 < 0;
    out[1] = -1 < one;
    out[2] = two - 3 < 0;
    out[3] = most == 4294967295 && beyond == 4294967296 && more == 2147483648;
    out[4] = most + 1;
    long negated = -one;
    out[5] = negated == -1;
    out[6] = most - most - 1 > 0;
    out[7] = sizeof(most); out[8] = sizeof(enum wide); out[9] = sizeof(enum longer); out[10] = sizeof(enum negative);
    out[11] = sizeof(struct holder);
    enum wide w = most;
    out[12] = w > 0;
}
