// 6.13.1: clang's identifiers may have a dollar sign, as their first character, too.
// expect: valid
// result: 3 4 9 1 6
#define $macro 3
#define $call($x) ($x * $x)
struct $record { int $member; };
int twice$(int $x) { return 2 * $x; }
typedef enum { $one = 5, two$ } $enum;
kernel void names_with_a_dollar(global int *out) {
    typedef int $int;
    $int $first = $macro; goto $end; $end:;
    $enum e = two$;
    struct $record r = {twice$(2)};
    out[0] = $first; out[1] = r.$member; out[2] = $call(3); out[4] = e;
#if defined($macro) && !defined $other && !$other && $macro == 3
    out[3] = 1;
#endif
}
