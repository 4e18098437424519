// 6.12: C99's trigraphs (5.2.1.1) are replaced before all else, as clang does, with a warning. ??= in a comment is nothing.
// expect: valid
// result: 3 6 97 14 5
??=define three 3
??=define SUM(a, b) a ??/
    + b
constant char text??(??) = "a??/
b";
kernel void trigraphs(global int *out) ??<
    out??(0??) = three; out[1] = SUM(2, 4);
    out[2] = text[0] + (text[1] ??' 'b');
    out[3] = 12 ??! 2; out[4] = ??-??-5;
??>
