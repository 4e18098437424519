// 6.4.1: the value of a constant behind another one is 1 more (C99 6.7.2.2); where that leaves the type, clang takes the next larger one.
// expect: valid
// result: 1 1 8 1 8 1
enum counted { last_int = 2147483647, behind_int };
enum unsigned_counted { last_uint = 0xffffffff, behind_uint, sum = last_uint + 1 };
enum signed_counted { negative = -1, least = -9223372036854775807 - 1, large = 0x7fffffffffffffff };
kernel void enumerator_behind_another(global int *out) {
    out[0] = behind_int == 2147483648;
    out[1] = behind_uint == 4294967296;
    out[2] = sizeof(enum unsigned_counted);
    out[3] = sum == 0;
    out[4] = sizeof(enum signed_counted);
    out[5] = least + 1 < least - -2;
}
