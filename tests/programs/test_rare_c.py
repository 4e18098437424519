"""C that few kernels hold and clang's OpenCL front end takes, executed on every real device; and what no device can do, told by its name."""

from __future__ import annotations

import time

import numpy as np
import pytest
from support.execute import execute

from cl2cuda.translator import CompileError, parse_options, translate


def run(device, body: str, before: str = "", options: str = "") -> list[int]:
    """The ints that one work-item writes to out[]."""
    out = np.full(16, -1, np.int32)
    source = f"{before}\nkernel void test(global int *out, int n) {{\n{body}\n}}\n"
    execute(device, source, out, np.int32(3), kernel="test", options=options)
    return out.tolist()


def warnings_of(source: str) -> list[str]:
    return [each.message for each in translate(source, parse_options("")).diagnostics]


def error_of(source: str) -> str:
    with pytest.raises(CompileError) as caught:
        translate(source, parse_options(""))
    first = next(each for each in caught.value.diagnostics if each.severity == "error")
    return first.message


def test_enumerations_are_declared_before_they_are_defined(real_device):
    before = """
    enum color; enum sign;
    int index_of(enum color *c); enum color next(enum color c);
    typedef enum color color;
    enum color { RED, GREEN, BLUE };
    enum sign { MINUS = -1, PLUS = 1 };
    int index_of(enum color *c) { return *c; }
    color next(color c) { return c + 1; }
    """
    body = "enum color c = next(RED); enum sign s = MINUS; out[0] = index_of(&c); out[1] = s; out[2] = s < 0; out[3] = BLUE;"
    assert run(real_device, body, before)[:4] == [1, -1, 1, 2]


def test_enumerations_of_a_given_type(real_device):
    before = """
    enum small : uchar { A = 200, B }; enum long_one : long { C = 1L << 40 };
    """
    body = "enum small x = B; out[0] = sizeof(x); out[1] = x; out[2] = sizeof(enum long_one); out[3] = (int)(C >> 38); out[4] = sizeof(C);"
    assert run(real_device, body, before)[:5] == [1, 201, 8, 4, 8]


def test_wide_characters_and_strings(real_device):
    before = r"""
    #if L'a' == 97
    #define SEEN 1
    #endif
    constant int wide[] = L"a\x1F600" "b"; constant char narrow[] = "\u00e9";
    """
    body = r"""
    int own[6] = L"xy"; int taken = L'z';
    out[0] = SEEN; out[1] = sizeof(wide); out[2] = wide[1]; out[3] = own[1]; out[4] = own[5]; out[5] = taken;
    out[6] = L'\u00e9'; out[7] = L'é'; out[8] = sizeof(L'a'); out[9] = sizeof(narrow); out[10] = (uchar)narrow[0];
    """
    expected = [1, 16, 0x1F600, ord("y"), 0, ord("z"), 0xE9, 0xE9, 4, 3, 0xC3]
    assert run(real_device, body, before)[:11] == expected


def test_character_names_are_printed_as_bytes():
    """NVRTC takes them for other characters than g++."""
    text = translate(r"""
    kernel void f(global char *out) { constant char *a = "\\u00e9 \u00e9\U0001F600"; char own[4] = "\u20ac"; out[0] = a[0] + own[1]; }
    """, parse_options("")).source("cuda")
    assert r'"\\u00e9 \303\251\360\237\230\200"' in text and r'"\342\202\254"' in text


def test_literals_side_by_side(real_device):
    """An escape of the first does not swallow digits of the second, and the quotes between them are no characters."""
    before = r"""constant char a[] = "\x1" "2"; constant uchar b[] = "\1" "7" "8"; constant int c[] = L"\x1" "2";"""
    body = r"""
    struct { char text[4]; } s; s.text[0] = 0; char own[3] = "\x1" "2"; char quoted[] = "q\"";
    out[0] = sizeof(a); out[1] = sizeof("\x1" "2"); out[2] = sizeof(b); out[3] = sizeof(c); out[4] = a[1]; out[5] = b[1]; out[6] = c[1];
    out[7] = own[1]; out[8] = sizeof("q\""); out[9] = ((char[3]){"q\""})[1]; out[10] = quoted[1];
    """
    assert run(real_device, body, before)[:11] == [3, 3, 4, 12, ord("2"), ord("7"), ord("2"), ord("2"), 3, ord('"'), ord('"')]


def test_wide_literals_in_macros(real_device):
    """They are tokens of their own: made by pasting, spelled with their quotes escaped, and no use of a macro `L`."""
    before = r"""
    #define TEXT(x) #x
    #define PASTE(a, b) a ## b
    #define WIDE(s) PASTE(L, s)
    constant char text[] = TEXT(L"a\n" + L'"'); constant int wide[] = WIDE("xy");
    #define L 3
    """
    body = "out[0] = sizeof(text); out[1] = text[1]; out[2] = wide[1]; out[3] = WIDE('c'); out[4] = L;"
    spelled = r'''L"a\n" + L'"' '''.strip()
    assert run(real_device, body, before)[:5] == [len(spelled) + 1, ord('"'), ord("y"), ord("c"), 3]


def test_places_of_no_type(real_device):
    """A pointer to void counts bytes, and what it leads to has an address."""
    body = """
    global void *p = out; global int *q = &p[8];
    q[0] = 7; out[0] = &*p == out; out[1] = &p[4] == p + 4; *p; (void)p[1];
    """
    assert run(real_device, body)[:3] == [1, 1, 7]


def test_casts_to_unions(real_device):
    before = "union number { int i; float f; }; int bits(union number u) { return u.i; }"
    body = "out[0] = bits((union number)1.0f); out[1] = ((union number)n).i;"
    assert run(real_device, body, before)[:2] == [0x3F800000, 3]
    assert error_of("union u { int i; }; kernel void f(global int *o, long n) { union u x = (union u)n; }") == (
        "cast to union type from type 'long' not present in union")


def test_labels_of_blocks(real_device):
    before = """
    #define FIND(a, n, x) ({ __label__ found; int at = 0; for (; at < n; at++) if (a[at] == x) goto found; at = -1; found: at; })
    """
    body = """
    int a[4] = { 5, 6, 7, 8 };
    out[0] = FIND(a, 4, 7); out[1] = FIND(a, 4, 1);
    { __label__ end, unused; if (n) goto end; out[2] = 1; end: out[3] = 2; }
    goto end; out[4] = 1; end: out[5] = 2;
    """
    assert run(real_device, body, before)[:6] == [2, -1, -1, 2, -1, 2]


def test_macros_of_the_compilation(real_device):
    before = "constant char day[] = __DATE__, clock[] = __TIME__, stamp[] = __TIMESTAMP__;"
    body = "out[0] = __INCLUDE_LEVEL__; out[1] = sizeof(day); out[2] = sizeof(clock); out[3] = sizeof(stamp) > 20; out[4] = sizeof(__BASE_FILE__) > 1;"
    assert run(real_device, body, before)[:5] == [0, 12, 9, 1, 1]


def test_the_date_is_the_one_of_the_translation():
    before = time.time()
    text = translate("constant char day[] = __DATE__; kernel void f(global int *o) { o[0] = day[0]; }", parse_options("")).source("cuda")
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    days = {time.localtime(at) for at in (before, time.time())}
    assert any(f'"{months[day.tm_mon - 1]} {day.tm_mday:2} {day.tm_year}"' in text for day in days)


def test_a_last_member_without_its_semicolon(real_device):
    assert run(real_device, "struct s x = { 1, 2 }; out[0] = x.b;", "struct s { int a; int b };")[0] == 2
    assert warnings_of("struct s { int a; int b };\nkernel void f(global int *o) { struct s x = { 1, 2 }; o[0] = x.b; }") == [
        "expected ';' at end of declaration list"]


@pytest.mark.parametrize("body, message", [
    ("_Complex float c; ", "complex numbers ('_Complex') are not supported by cl2cuda"),
    ("float _Complex c; ", "complex numbers ('_Complex') are not supported by cl2cuda"),
    ("double _Imaginary c; ", "imaginary numbers ('_Imaginary') are not supported by cl2cuda"),
    ("float f = __real__ 1.0f; ", "complex numbers ('__real__') are not supported by cl2cuda"),
    ("float f = 1.0if; ", "imaginary constants are not supported by cl2cuda"),
    ("float f = 2.5i; ", "imaginary constants are not supported by cl2cuda"),
    ("void *p = &&end; end: ;", "addresses of labels ('&&end') are not supported by cl2cuda"),
    ("void *p = 0; goto *p;", "computed gotos ('goto *') are not supported by cl2cuda"),
    ("constant int *p = L\"ab\";", "a wide string may only initialize an array"),
    ("char s[] = L\"ab\";", "initializing 'char' array with a wide string"),
    ("int s[] = \"ab\";", "array initializer must be an initializer list"),
])  # fmt: skip
def test_what_cannot_be_is_told_by_its_name(body, message):
    assert error_of(f"kernel void f(global int *out) {{ {body} }}") == message


def test_prototypes_know_fewer_names_of_types_than_definitions(real_device):
    """What C++ reads of a prototype may not name what is declared behind it."""
    before = """
    struct ray; int trace(struct ray *r, int n); int twice(int x);
    typedef struct ray { int o, d; } ray_t; typedef int number;
    number twice(number x) { return 2 * x; }
    int trace(ray_t *r, number n) { return r->o + n; }
    """
    assert run(real_device, "struct ray r = { 4, 5 }; out[0] = trace(&r, n); out[1] = twice(n);", before)[:2] == [7, 6]
