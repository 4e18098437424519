// 6.12: C99's digraphs (6.4.6) stand for # and ##, too; the # operator keeps how they are written.
// expect: valid
// result: 4 31 2 1 7
%:define three 3
  %:  define JOIN(a, b) a %:%: b
#define TEXT(x) %: x
%:define BOTH one%:%:two
%:if three == 3 /* over
two lines */
%:define four 4
%:else
#error no
%:endif
%:pragma OPENCL FP_CONTRACT OFF
constant char text<::> = TEXT(%:);
kernel void digraphs(global int *out) <%
    int onetwo = 7;
    out<:0:> = four; out[1] = JOIN(3, 1); out[2] = sizeof text - 1; out[3] = text[0] == '%';
    out[4] = BOTH;
%>
