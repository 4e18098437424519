"""The preprocessor: small conformance cases, gcc as an oracle, positions and errors."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cl2cuda.translator.diagnostics import Diagnostics, Position
from cl2cuda.translator.ir import source_map
from cl2cuda.translator.opencl_c import gnu_builtin_names
from cl2cuda.translator.opencl_c.analyse import gnu_builtins, sync_builtins
from cl2cuda.translator.opencl_c.dialect import Dialect
from cl2cuda.translator.opencl_c.preprocess import preprocess as preprocessing
from cl2cuda.translator.opencl_c.preprocess.macros import split, tokens_of
from cl2cuda.translator.opencl_c.preprocess.preprocess import SourceMap, preprocess
from cl2cuda.translator.options import BuildOptions, parse_options


def run(source, options="", *, headers=None, dialect=None, filename="a.cl"):
    diagnostics = Diagnostics()
    parsed = parse_options(options) if isinstance(options, str) else options
    pre = preprocess(
        source,
        filename=filename,
        options=parsed,
        dialect=dialect or Dialect.of(parsed),
        headers=headers or {},
        diagnostics=diagnostics,
    )
    return pre, diagnostics


def tokens(text):
    return [token for token in tokens_of(text) if token != " "]


def expand(source, options="", **keywords):
    """The text's tokens, one space between each, where nothing is to be reported."""
    pre, diagnostics = run(source, options, **keywords)
    assert not diagnostics.found, "\n".join(map(str, diagnostics.found))
    return " ".join(tokens(pre.text))


def messages(source, options="", **keywords):
    _, diagnostics = run(source, options, **keywords)
    return [f"{d.position.line}:{d.position.column}: {d.message}" for d in diagnostics.found]


# C99 6.10.3.5, and what each rule of it comes down to.
CASES = [
    ("#define A 1\nA B", "1 B"),
    ("#define A B\n#define B A\nA B", "A B"),
    ("#define f(x) x + 1\nf(2) f f (3)", "2 + 1 f 3 + 1"),
    ("#define f(x) x\nf(\n1\n) g", "1 g"),
    ("#define f(x, y) y x\nf((1, 2), (a)(b))", "( a ) ( b ) ( 1 , 2 )"),
    ("#define f() 1\nf() f( )", "1 1"),
    ("#define f(x) [x]\nf() f( )", "[ ] [ ]"),
    ("#define s(x) #x\ns(a  b) s( \"q\\n\" '\\0' ) s()", '"a b" "\\"q\\\\n\\" \'\\\\0\'" ""'),
    ("#define c(x, y) x ## y\nc(a, b) c(a,) c(,b) c(,) c(1, e3)", "ab a b 1e3"),
    ("#define c(x, y) x##y\n#define ab 7\nc(a, b) c(c, 1)(2)", "7 c1 ( 2 )"),
    ("#define x 3\n#define f(a) f(x * (a))\nf(f(z))", "f ( 3 * ( f ( 3 * ( z ) ) ) )"),
    ("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g"),
    ("#define EMPTY\n#define g() 1\ng EMPTY ()", "g ( )"),
    ("#define o(x) x o\no(o)(1)", "o o ( 1 )"),
    ("#define v(...) f(__VA_ARGS__)\nv() v(1) v(1, 2)", "f ( ) f ( 1 ) f ( 1 , 2 )"),
    ("#define v(f, ...) p(f, ##__VA_ARGS__)\nv(1) v(1,) v(1, 2, 3)", "p ( 1 ) p ( 1 , ) p ( 1 , 2 , 3 )"),
    ("#define v(f, ...) p(f __VA_OPT__(,) __VA_ARGS__)\nv(1) v(1,) v(1, 2, 3)", "p ( 1 ) p ( 1 ) p ( 1 , 2 , 3 )"),
    ("#define v(...) a ## __VA_OPT__ ( b(__VA_ARGS__) d ) ## c __VA_OPT__()\n#define E\nv(1) v() v(E)", "ab ( 1 ) dc ac ac"),
    ("#define v(a, ...) x ## __VA_OPT__(a ## 2) __VA_OPT__(a) ## y\nv(1, 1) v(, 1) v(1)", "x12 1y x2 y x y"),
    ("#define v(a, ...) __VA_OPT__(#a a ## 1 #__VA_ARGS__) a\nv(x) v(x, y, z)", 'x "x" x1 "y, z" x'),
    ("#define v(a...) p(0, ##a)\nv() v(1, 2)", "p ( 0 ) p ( 0 , 1 , 2 )"),
    ("#define NEG -\n-NEG 1 -NEG-1", "- - 1 - - - 1"),
    ("#define f 9\n1.f .1f 1.0f 0xE+f x.f", "1.f .1f 1.0f 0xE+f x . 9"),
    ("#define m(x) -x\nm(-1) m(m(2)) a-m(3)", "- - 1 - - 2 a - - 3"),
    ("#define hh # ## #\nhh", "##"),
    ("#define A(x) #x\n#define B(x) A(x)\n#define C 1 2\nA(C) B(C)", '"C" "1 2"'),
    ('#define S "A" A\n#define A 1\nS "A" \'A\'', '"A" 1 "A" \'A\''),
    ("#undef A\n#define A 1\n#undef A\nA", "A"),
    ("a /* b */ c // d\ne /* f\n g */ h", "a c e h"),
    ("#define A 1 /* x\n y */ + 2 // z\nA", "1 + 2"),
    ("#define A 1 \\\n + \\\n 2\nA \\\n b", "1 + 2 b"),
    ('"/* no */" \'"\' /* " */ "//"', '"/* no */" \'"\' "//"'),
    ("__LINE__ /*\n\n*/ __LINE__\n__LINE__ __FILE__", '1 3 4 "a.cl"'),
    ("__COUNTER__ __COUNTER__", "0 1"),
    ("#\n# /* x */\n  #  define A 2\nA", "2"),
    ("#define f(x, y) x y\nf(1,\n#if 1\n2\n#else\n3\n#endif\n)", "1 2"),
    ("#if 0\n'don't #\n#else\nyes\n#endif", "yes"),
]


@pytest.mark.parametrize(("source", "expected"), CASES)
def test_conformance(source, expected):
    assert expand(source) == expected


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("1", True),
        ("0 || 2 && 1", True),
        ("1 ? 0 : 1", False),
        ("defined A && !defined(B)", True),
        ("A == 3 && B == 0", True),
        ("-1 < 0u", False),
        ("-1 >> 1 == -1 && ~0 == -1", True),
        ("0 && (1 / 0)", False),
        ("2 + 3 * 4 == 14 && (2 + 3) * 4 == 20 && 10 - 4 - 3 == 3", True),
        ("-7 / 2 == -3 && -7 % 2 == -1", True),
        ("0x10 == 16 && 010 == 8 && 0b11 == 3 && 10UL == 10", True),
        ("'a' == 97 && '\\n' == 10 && '\\x41' == 'A'", True),
        ("0x7fffffffffffffff + 1 < 0", True),
        ("0xffffffffffffffff > 0", True),
        ("HAS_A", True),  # `defined` that comes out of a macro
        ("SUM(1, 2) == 3", True),
        ("INT_MAX > 5 && INT_MAX == 2147483647", True),
        ("defined(M_PI_F) && defined CLK_LOCAL_MEM_FENCE", True),
        ("__OPENCL_C_VERSION__ == CL_VERSION_1_2 && __OPENCL_VERSION__ >= 120", True),
        ("true && !false", True),
        ("1 //comment", True),
    ],
)
def test_conditions(condition, holds):
    macros = "#define A 3\n#define HAS_A defined(A)\n#define SUM(x, y) (x + y)\n"
    assert expand(f"{macros}#if {condition}\nyes\n#else\nno\n#endif") == ("yes" if holds else "no")


def test_groups():
    source = """
        #ifdef A
            a
        #elif defined(B) || 1 / 0   // not evaluated once a group is taken
            b
        # ifdef C
            #error never
        # else
            not c
        # endif
        #elif 1
            wrong
        #else
            wrong
        #endif
        #ifndef A
            no a
        #endif
    """
    assert expand(source, "-D B") == "b not c no a"
    assert expand(source, "-D A") == "a"


def test_options_define_in_order():
    assert expand("A B C F(2)", "-DA=1 -D B -D C=A+B '-D F(x)=x*x'") == "1 1 1 + 1 2 * 2"
    assert expand("A", "-DA=1 -UA") == "A"
    assert expand("A F(1) B", "-DA -UA -DA=3 '-D F(x)=x' -U F -DB -UA -DA=4") == "4 F ( 1 ) 1"
    assert expand("__OPENCL_VERSION__", "-U__OPENCL_VERSION__") == "__OPENCL_VERSION__"


def test_built_in_constants_keep_their_names_and_can_be_replaced():
    assert expand("M_PI_F INT_MAX") == "M_PI_F INT_MAX"
    assert expand("#define M_PI 3.14\nM_PI\n#undef INT_MAX\n#ifdef INT_MAX\nno\n#endif") == "3.14"


def test_predefined_macros_follow_the_dialect():
    assert expand("cl_khr_fp64 __FAST_RELAXED_MATH__", "-cl-fast-relaxed-math") == "1 1"
    assert expand("cl_khr_fp64 M_PI __IMAGE_SUPPORT__", dialect=Dialect(extensions=(), features=())) == "cl_khr_fp64 M_PI __IMAGE_SUPPORT__"
    assert expand("#ifndef M_PI\nnone\n#endif", dialect=Dialect(extensions=())) == "none"
    assert "__opencl_c_int64" in expand("__opencl_c_int64")
    assert expand("__opencl_c_int64", "-cl-std=CL3.0") == "1"
    assert "work_group_size_hint ( 64 , 1 , 1 )" in expand("__kernel_exec(64, float4)")


def test_pragmas():
    source = """#define N 4
#pragma unroll N
#pragma OPENCL EXTENSION N : enable
 #  pragma unroll
#pragma clang loop unroll_count(N)
_Pragma("unroll N") x
#define UNROLL(n) _Pragma("unroll") n
UNROLL(y)
"""
    pre, diagnostics = run(source)
    assert not diagnostics.found
    lines = [re.sub(r"\s+", " ", line).strip().replace("# pragma", "#pragma") for line in pre.text.splitlines()]
    assert [line for line in lines if line] == [
        "#pragma unroll 4",
        "#pragma OPENCL EXTENSION N : enable",
        "#pragma unroll",
        "#pragma clang loop unroll_count(4)",
        "#pragma unroll 4",
        "x",
        "#pragma unroll",
        "y",
    ]


def test_headers_and_folders(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "one.h").write_text('#pragma once\n#include "two.h"\none\n')
    (tmp_path / "sub" / "two.h").write_text("two")
    source = '#include <sub/one.h>\n#include "sub/one.h"\n#define H "given.h"\n#include H\nend'
    assert expand(source, BuildOptions(include_dirs=(str(tmp_path),)), headers={"given.h": "given"}) == "two one given end"


def test_a_file_that_is_read_once_has_several_paths(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "one.h").write_text("#pragma once\none\n")
    (tmp_path / "sub" / "two.h").write_text('#include "../one.h"\n#include "../sub/../one.h"\ntwo\n')
    (tmp_path / "linked.h").symlink_to(tmp_path / "one.h")
    source = '#include "sub/two.h"\n#include "one.h"\n#include "linked.h"\nend'
    assert expand(source, BuildOptions(include_dirs=(str(tmp_path),))) == "one two end"


def test_given_headers_include_each_other():
    headers = {"a/b.h": '#include "c.h"\n#include "d.h"', "a/c.h": "c", "d.h": "d"}
    assert expand('#include "a/b.h"', headers=headers) == "c d"


def locate(source, word, **keywords):
    pre, _ = run(source, **keywords)
    return pre.locate(pre.text.index(word))


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path):
    (tmp_path / "disk.h").write_text("\ufeff#define DISK 1\n", encoding="utf-8")
    source = '\ufeff#include "given.h"\n#include "disk.h"\nGIVEN DISK\n'
    headers = {"given.h": "\ufeff#define GIVEN 2\n"}
    assert expand(source, f"-I {tmp_path}", headers=headers) == "2 1"


def test_positions_of_copied_text():
    source = "int a; /* x */ b;\n\n#define M 1\n  c = M + d; \\\n e;\n"
    assert locate(source, "b") == Position("a.cl", 1, 16)
    assert locate(source, "c") == Position("a.cl", 4, 3)
    assert locate(source, "d") == Position("a.cl", 4, 11)
    assert locate(source, "e") == Position("a.cl", 5, 2)


def test_what_a_macro_became_is_where_it_was_named():
    source = "#define M(x) (found + \\\n x)\n\n  y = M(\n3) + z;\n"
    assert locate(source, "found") == Position("a.cl", 4, 7)
    assert locate(source, "z") == Position("a.cl", 5, 6)


def test_positions_through_includes_and_line_directives():
    headers = {"h.h": "\nint h;\n"}
    source = '#include "h.h"\nint a;\n#line 100 "b.cl"\nint b;\n#line 7\n\nint c;\n'
    assert locate(source, "h;", headers=headers) == Position("h.h", 2, 5)
    assert locate(source, "a", headers=headers) == Position("a.cl", 2, 5)
    assert locate(source, "b", headers=headers) == Position("b.cl", 100, 5)
    assert locate(source, "c", headers=headers) == Position("b.cl", 8, 5)
    pre, _ = run(source, headers=headers)
    assert pre.source_line(Position("b.cl", 100, 5)) == "int b;"
    assert pre.source_line(Position("b.cl", 8, 5)) == "int c;"
    assert pre.source_line(Position("h.h", 2, 1)) == "int h;"
    assert pre.source_line(Position("nowhere", 1, 1)) == ""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("\n  #error stop here\n", ["2:4: stop here"]),
        ("#warning careful", ["1:2: careful"]),
        ("#foo", ["1:2: invalid preprocessing directive"]),
        ("x\n#if 1\n", ["2:2: unterminated conditional directive"]),
        ("#endif", ["1:2: #endif without #if"]),
        ("#if 1\n#else\n#else\n#endif", ["3:2: #else after #else"]),
        ("#if\n#endif", ["1:2: expected value in expression"]),
        ("#if 1 / 0\n#endif", ["1:2: division by zero in preprocessor expression"]),
        ("#if 1.5\n#endif", ["1:2: floating point literal in preprocessor expression"]),
        ("#if (1\n#endif", ["1:2: expected ')' in preprocessor expression"]),
        ("#if NO(1)\n#endif", ["1:2: function-like macro 'NO' is not defined"]),
        ('#include "no.h"', ["1:2: 'no.h' file not found"]),
        ("#include no", ['1:2: expected "FILENAME" or <FILENAME>']),
        ("#define", ["1:2: macro name missing"]),
        ("#define 3", ["1:2: macro name must be an identifier"]),
        ("#define f(x", ["1:2: missing ')' in macro parameter list"]),
        ("#define f(x, x) x", ["1:2: duplicate macro parameter name 'x'"]),
        ("#define f(x) #y", ["1:2: '#' is not followed by a macro parameter"]),
        ("#define f(...) x __VA_OPT__", ["1:2: missing '(' following __VA_OPT__"]),
        ("#define f(...) __VA_OPT__(x", ["1:2: unterminated __VA_OPT__ argument list"]),
        ("#define f(...) __VA_OPT__(__VA_OPT__(x))", ["1:2: __VA_OPT__ cannot be nested within its own replacement tokens"]),
        ("#define f(...) __VA_OPT__(x ##)", ["1:2: '##' cannot appear at end of macro expansion"]),
        ("#define f ## x", ["1:2: '##' cannot appear at start of macro expansion"]),
        ("#define A 1\n#define A 2", ["2:2: 'A' macro redefined"]),
        ("#define A 1\n#define A 1", []),
        ("#define f(x) x\n  f(1, 2)", ["2:3: too many arguments provided to function-like macro invocation of 'f'"]),
        ("#define f(x, y) x\n  f(1)", ["2:3: too few arguments provided to function-like macro invocation of 'f'"]),
        ("#define f(x) x\n  f(1", ["2:3: unterminated function-like macro invocation of 'f'"]),
        ("#define c(x, y) x ## y\nc(+, 1)", ["2:1: pasting formed '+1', an invalid preprocessing token"]),
        ("x /* y", ["1:3: unterminated /* comment"]),
    ],
)
def test_errors(source, expected):
    assert messages(source) == expected


def test_errors_show_their_line():
    _, diagnostics = run("\n#error no\n")
    assert str(diagnostics.found[0]) == "a.cl:2:2: error: no\n    #error no\n     ^"


def test_an_endless_include_and_a_deep_nest_are_errors():
    assert "nested too deeply" in messages('#include "a.h"', headers={"a.h": '#include "a.h"'})[0]
    assert "nested too deeply" in messages("#define f(x) x\n" + "f(" * 3000 + ")" * 3000)[0]


RECURSIVE = """
#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
char c[2][6] = { str(hello), str() };
#define xstr(s) str(s)
#define debug(s, t) printf("x" # s "= %d, x" # t "= %s", \\
                           x ## s, x ## t)
#define INCFILE(n) vers ## n
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW "hello"
#define LOW LOW ", world"
debug(1, 2);
fputs(str(strncmp("abc\\0d", "abc", '\\4') // this goes away
 == 0) str(: @\\n), s);
glue(HIGH, LOW); xglue(HIGH, LOW)
#define LOG(l, ...) p_(l, ##__VA_ARGS__)
LOG("a") LOG("a", 1) LOG("a", LOG("b", 1)) LOG(
#ifdef LOG
 1
#else
 2
#endif
 , 3) end
#define REPEAT4(X, n) X(n) X(n + 1) X(n + 2) X(n + 3)
#define STEP(n) acc = mad(a[n], b[n], acc); -n +n .n n.x
REPEAT4(STEP, 0) REPEAT4(STEP, -1)
"""


def packaged_sources():
    found = importlib.util.find_spec("pyopencl")
    return sorted((Path(found.origin).parent / "cl").rglob("*.cl")) if found and found.origin else []


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("source", [RECURSIVE, *packaged_sources()], ids=lambda s: getattr(s, "name", "recursive"))
def test_the_tokens_are_gcc_s(source, tmp_path):
    folders = []
    if isinstance(source, Path):
        folders = [str(source.parent), str(source.parent.parent)]
        source = source.read_text()
    dialect = Dialect()
    (tmp_path / "predefined.h").write_text(
        "".join(f"#define {name} {text}\n" for name, text in dialect.predefined_macros().items())
    )
    (tmp_path / "in.c").write_text(source)
    command = ["gcc", "-E", "-P", "-undef", "-std=gnu99", "-include", tmp_path / "predefined.h", *(f"-I{f}" for f in folders)]
    gcc = subprocess.run([*command, tmp_path / "in.c"], capture_output=True, text=True, check=False).stdout
    ours, _ = run(source, BuildOptions(include_dirs=tuple(folders)), dialect=dialect)
    assert tokens(ours.text) == tokens(gcc)


def test_plain_text_is_its_own_map():
    pre = SourceMap.plain("a\nbc", "x.cl")
    assert (pre.text, pre.locate(3)) == ("a\nbc", Position("x.cl", 2, 2))


def test_a_directive_goes_on_behind_each_comment_of_several_lines():
    source = """#define A 1 /* a
 b */ + 10 /* c
 d */ + 100
/* e
 f */ #define B 1000 /* g
 h */ + 10000
/* i */ int plain; /* j
 k */ int other = A + B;
"""
    pre, diagnostics = run(source)
    assert not diagnostics.found
    assert " ".join(pre.text.split()) == "int plain; int other = 1 + 10 + 100 + 1000 + 10000;"


@pytest.mark.parametrize("question, answer", [
    ("__has_attribute(overloadable)", 1), ("__has_attribute(__always_inline__)", 1), ("__has_attribute(no_such)", 0),
    ("__has_feature(c_static_assert)", 0), ("__has_extension(c_generic_selections)", 0), ('__has_warning("-Wall")', 0),
    ("__has_declspec_attribute(align)", 0), ("__has_builtin(__builtin_expect)", 1), ("__has_builtin(__builtin_no_such)", 0),
    ("__has_builtin(__builtin_popcount)", 1), ("__has_builtin(__builtin_sqrtf)", 1), ("__has_builtin(popcount)", 0),
])
def test_what_clang_answers_of_itself(question, answer):
    name = question[: question.index("(")]
    pre, diagnostics = run(f"#ifndef {name}\n#error\n#endif\n#if {question}\nint yes;\n#else\nint no;\n#endif\n")
    assert not diagnostics.found
    assert pre.text.split() == ["int", "yes;" if answer else "no;"]


@pytest.mark.parametrize("condition", [
    "'a' == 97", r"'\n' == 10 && '\'' == 39 && '\0' == 0 && '\e' == 27", r"'\xff' == -1 && '\377' == -1", "'ab' == 24930", "('1234' >> 24) == '1'",
])  # fmt: skip
def test_characters_in_conditions(condition):
    pre, diagnostics = run(f"#if {condition}\nint yes;\n#endif\n")
    assert not diagnostics.found and pre.text.split() == ["int", "yes;"]


@pytest.mark.parametrize(("constant", "message"), [("''", "invalid token"), ("'abcde'", "character constant too long for its type")])
def test_characters_that_are_wrong_in_conditions(constant, message):
    (found,) = run(f"#if {constant}\n#endif\n")[1].found
    assert message in found.message


@pytest.mark.parametrize(("question", "answer"), [
    ('"given.h"', 1), ("<given.h>", 1), ("<folder/inner.h>", 1), ('"beside.h"', 0), ("<no.h>", 0), ("NAMED", 1),
])  # fmt: skip
def test_whether_there_is_a_header(question, answer):
    headers = {"given.h": "", "folder/inner.h": '#if __has_include("beside.h")\nint beside;\n#endif\n', "folder/beside.h": ""}
    source = f'#define NAMED "given.h"\n#ifdef __has_include\n#if __has_include({question})\nint yes;\n#else\nint no;\n#endif\n#endif\n'
    pre, diagnostics = run(source, headers=headers)
    assert not diagnostics.found and pre.text.split() == ["int", "yes;" if answer else "no;"]
    assert run('#include "folder/inner.h"\n', headers=headers)[0].text.split() == ["int", "beside;"]


@pytest.mark.parametrize("question", ["no.h", "", '"open'])
def test_a_header_s_name_stands_in_quotes(question):
    assert run(f"#if __has_include({question})\n#endif\n")[1].errors


def test_macros_that_are_kept():
    source = """
    #define A 1
    #pragma push_macro("A")
    #pragma push_macro ( "B" )
    #undef A
    #define A 2
    #define B 3
    #pragma push_macro("A")
    #undef A
    #pragma pop_macro("A")
    A B
    #pragma pop_macro("A")
    #pragma pop_macro("B")
    A B
    """
    pre, diagnostics = run(source)
    assert pre.text.split() == ["2", "3", "1", "B"] and not diagnostics.found


@pytest.mark.parametrize(("pragma", "message"), [
    ('pop_macro("A")', "pragma pop_macro could not pop 'A', no matching push_macro"),
    ("push_macro(A)", "pragma push_macro requires a parenthesized string"), ("pop_macro", "pragma pop_macro requires a parenthesized string"),
])  # fmt: skip
def test_macros_that_cannot_be_kept(pragma, message):
    assert [(d.severity, d.message) for d in run(f"#pragma {pragma}\n")[1].found] == [("warning", message)]


def test_a_long_line_of_comments_takes_no_longer_than_many_lines():
    """Each comment is looked at once, not with the line before it."""
    text = "int a; /**/ " * 2000
    looked_at = []

    class Text(str):
        def __getitem__(self, key):
            part = super().__getitem__(key)
            looked_at.append(len(part))
            return part

    source_map._without_comments(Text(text))
    assert sum(looked_at) <= len(text)


@pytest.mark.parametrize("apart", [" ", "\n", ""])
def test_many_invocations_on_a_line_are_each_read_once(apart, monkeypatch):
    """What stands behind them is not taken apart again for each, which made a line take the square of its length."""
    read = []

    def counted(text):
        read.append(len(text))
        return split(text)

    monkeypatch.setattr(preprocessing, "split", counted)
    source = "#define f(x) [x]\n" + apart.join(f"f ( {n} )" for n in range(300)) + "\n"
    assert expand(source) == " ".join(f"[ {n} ]" for n in range(300))
    assert sum(read) <= 3 * len(source)


@pytest.mark.parametrize(("source", "expected"), [
    ("f(1)f(2) f (3)\nf(4)", "[ 1 ] [ 2 ] [ 3 ] [ 4 ]"),
    ("f(1\n) f(2) f\n(3) f f(4)", "[ 1 ] [ 2 ] [ 3 ] f [ 4 ]"),
    ("f(\n#undef g\n1) g f(2\n, 3\n) f(4) g", "[ 1 ] g [ 2 , 3 ] [ 4 ] g"),
    ("f(f(1) f(2)) e f(3) e(4) f(e)", "[ [ 1 ] [ 2 ] ] [ 3 ] ( 4 ) [ ]"),
    ("f(1) f", "[ 1 ] f"),
])
def test_what_follows_an_invocation(source, expected):
    assert expand("#define g 7\n#define e\n#define f(...) [__VA_ARGS__]\n" + source + "\n") == expected


def test_every_builtin_of_its_own_meaning_has_a_row_and_the_other_way_round():
    assert gnu_builtins._TABLE.keys() == gnu_builtin_names.OWN_MEANING
    assert sync_builtins._TABLE.keys() == gnu_builtin_names.SYNC


@pytest.mark.parametrize("three, one", list(zip("??= ??( ??) ??/ ??' ??< ??> ??! ??-".split(), "#[]\\^{}|~", strict=True)))
def test_each_trigraph_has_a_warning(three, one):
    text = f"a {three}b"
    assert messages(text) == [f"1:3: trigraph converted to '{one}' character"]
    assert run(text)[0].text == f"a {one}b"
    assert messages(f"/* {three}b */ // {three}b") == []


def test_places_behind_trigraphs():
    assert messages("a ??( b ??/\n??)\n#error here") == [
        "1:3: trigraph converted to '[' character", "2:1: trigraph converted to ']' character", "3:2: here"]
    assert expand("a ??/\n b ? ?= c ??* ???") == "a b ? ? = c ? ? * ? ? ?"


def test_digraphs_of_the_preprocessor():
    assert expand("%:define j(a, b) a%:%:b\n %: define s(x) %:x\nj(1, 2) s(%:) s(#)") == '12 "%:" "#"'
    assert expand("%:if 0\na\n%:else\nb\n%:endif /*\n*/ \nc") == "b c"
    assert run("a\n%:pragma unroll\nb")[0].text == "a\n#pragma unroll\nb"
    assert messages("a\n%:frob") == ["2:3: invalid preprocessing directive"]


@pytest.mark.parametrize(("source", "expected"), [
    ("f\n#define Y 2\n(Y) z", "[ 2 ] z"),
    ("f\n\n#if 0\n(1)\n#else\n\n  (2)\n#endif\nz", "[ 2 ] z"),
    ("f\n#if 1\n#define P 1\n\n(P\n#define Q 2\n+ Q)\n#endif\nf(3)", "[ 1 + 2 ] [ 3 ]"),
    ("f f\n#undef f\n(1) f(2)", "f [ 1 ] f ( 2 )"),
    ("#define g f\ng\n#define Y\n(1) g\n#if 0\n(\n#endif\nx", "[ 1 ] f x"),
    ("f(f\n#define Y 2\n(Y))", "[ [ 2 ] ]"),
    # No invocations, and what the directives say holds for what follows.
    ("f\n#define Y 2\nY (1)", "f 2 ( 1 )"),
    ("f\n#if 0\n(1)\n#endif\n+ f(2) x", "f + [ 2 ] x"),
    ("f\n#if 0\n(\n#endif", "f"),
    ("f\n#define Y (1)\nY", "f ( 1 )"),
])  # fmt: skip
def test_directives_between_a_macro_and_its_parenthesis(source, expected):
    assert expand(f"#define f(x) [x]\n{source}\n") == expected


def test_positions_behind_directives_that_a_macro_has_been_looked_for_behind():
    pre, diagnostics = run("#define f(x) x\nf\n#if 0\n(1)\n#endif\n+ wrong")
    assert not diagnostics.found
    assert pre.text == "f\n+ wrong"
    assert [pre.locate(pre.text.index(word))[1:] for word in ("f", "wrong")] == [(2, 1), (6, 3)]
