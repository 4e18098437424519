"""Sources that no one would write: mutated, truncated and garbage ones, and constructs nested or repeated beyond reason.

    python tests/tools/hostile.py [--count 2000] [--seed 1] [--memory GIGABYTES]

translates them and reports each that gives anything but a translation or a CompileError with a position, or takes longer than ten
seconds. `test_hostile.py` runs some of them.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from tools.fuzz.generate import program  # noqa: E402

from cl2cuda.translator import CompileError, translate  # noqa: E402
from cl2cuda.translator.diagnostics import NESTING  # noqa: E402, F401

SECONDS = 10

# -- mutations -------------------------------------------------------------------------------------------------------

_PIECES = """
    ( ) { } [ ] ; , . -> ++ -- + - * / % & | ^ ~ ! = == != < > <= >= << >> && || ? : ... # ## \\ " ' /* */ // 0 1 0x 1e 1.f .5 08 'a' '' "" "x
    int float4 kernel __kernel global local constant private void struct union enum typedef if else for while do switch case default
    return goto break continue sizeof vec_step typeof asm __attribute__ ((aligned(8))) ((packed)) const volatile restrict unsigned long half
    #define #undef #if #ifdef #ifndef #else #elif #endif #include #pragma #line #error _Pragma("unroll") __LINE__ __VA_ARGS__ defined
    convert_int4_sat as_float4 (float4)(1,2) .xyzw .s0123456789abcdef .lo barrier(CLK_LOCAL_MEM_FENCE) get_global_id(0) printf("%d",1)
    image2d_t sampler_t event_t ^{ @ $ ` \x00 \x01 \x7f é \ud800 \udcff \u2028 \ufeff \t \r \n
""".split()
_PIECES = [p.encode().decode("unicode_escape", "surrogatepass") if p.startswith("\\") and len(p) > 1 else p for p in _PIECES]

_WORDS = """
    void bool char uchar short ushort int uint long ulong float double half size_t char2 uchar16 int3 float4 double8 half4 event_t sampler_t
    image2d_t queue_t const volatile restrict global local constant private generic struct union enum typedef static extern inline kernel
    auto register signed unsigned 0 1 -1 1.0 1.0f 1.0h 1e40 0xffffffffffffffff 'a' "a" NULL true x y z xyzw lo hi s0 sF & * + - ! ~ ++ -- == = , . ->
    sizeof vec_step typeof return break continue goto if else for while do switch case default (int) (float4) (void) (void*) (global int*) [0] [] {}
    () ; : ? get_global_id min clamp dot select as_int4 convert_int4 vload4 barrier atomic_add printf MAXFLOAT CLK_LOCAL_MEM_FENCE
""".split()


def mutated(rng: random.Random, source: str) -> str:
    """The source after a few random changes: pieces inserted, deleted, doubled or swapped, the text cut short."""
    for _ in range(rng.choice([1, 1, 2, 3, 8, 30])):
        a = rng.randrange(len(source) + 1)
        b = min(len(source), a + rng.choice([1, 1, 2, 5, 20, 200]))
        match rng.randrange(8):
            case 0:
                source = source[:a] + source[b:]
            case 1 | 2:
                source = source[:a] + rng.choice(_PIECES) + source[a:]
            case 3:
                source = source[:a] + rng.choice(_PIECES) + source[b:]
            case 4:
                source = source[:a] + source[a:b] * rng.choice([2, 3, 50]) + source[b:]
            case 5:
                at = rng.randrange(len(source) + 1)
                source = source[:at] + source[a:b] + source[at:]
            case 6:
                source = source[:a] + chr(rng.choice([0, 1, 9, 12, 127, 160, 0x2028, 0xFEFF, 0xD800, 0xDCFF, 0x1F600, rng.randrange(256)])) + source[b:]
            case 7 if rng.randrange(4) == 0:
                source = source[:a]
    return source


_TOKEN = re.compile(r"\w+|\"[^\"\n]*\"|\s+|[-+*/%&|^<>=!]=|&&|\|\||<<|>>|->|.", re.S)


def rearranged(rng: random.Random, source: str) -> str:
    """The source with a few tokens of its own in other tokens' places: most of it still parses."""
    tokens = _TOKEN.findall(source)
    words = [i for i, token in enumerate(tokens) if not token.isspace()]
    for _ in range(rng.choice([1, 1, 2, 4])):
        a, b = rng.choice(words), rng.choice(words)
        alike = [i for i in words if tokens[i][0].isalnum() == tokens[a][0].isalnum()]
        match rng.randrange(5):
            case 0:
                tokens[a], tokens[b] = tokens[b], tokens[a]
            case 1 | 2 | 3:
                tokens[a] = tokens[rng.choice(alike)]
            case 4:
                tokens[a] = rng.choice(_WORDS)
    return "".join(tokens)


def garbage(rng: random.Random, source: str) -> str:
    """Bytes and pieces in any order, whatever the source."""
    if rng.randrange(2):
        data = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 2000)))
        return data.decode("latin-1") if rng.randrange(2) else data.decode("utf-8", "surrogateescape")
    return rng.choice(["", " ", "\n"]).join(rng.choice(_PIECES) for _ in range(rng.randrange(1, 400)))


def random_sources(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Name and text: each made from a seed of its own."""
    models = [path.read_text() for path in sorted((ROOT / "tests" / "cases").glob("*/*.cl"))]
    for number in range(seed, seed + count):
        rng = random.Random(number)
        model = rng.choice(models) if rng.randrange(3) else program(rng.randrange(1000)).source[:6000]
        make = rng.choice([garbage, mutated, mutated, mutated, rearranged, rearranged, rearranged, rearranged, rearranged])
        yield f"seed {number}", make(rng, model)


# -- beyond reason ---------------------------------------------------------------------------------------------------

DEPTHS = (300, 20_000)


def body(text: str) -> str:
    return f"kernel void f(global int *x, int n, float4 v) {{ {text} }}"


def nested(n: int) -> dict[str, str]:
    """Every construct that nests, n deep."""
    return {
        "parentheses": body(f"x[0] = {'(' * n}1{')' * n};"),
        "parentheses left open": body(f"x[0] = {'(' * n}1;"),
        "subscripts": body(f"x[0] = {'x[' * n}0{']' * n};"),
        "subscripts in a row": body(f"x[0] = x{'[0]' * n};"),
        "calls": body(f"x[0] = {'abs(' * n}1{')' * n};"),
        "unary operators": body(f"x[0] = {'- ' * n}n;"),
        "not": body(f"x[0] = {'!' * n}n;"),
        "dereferences": body(f"x[0] = {'*' * n}x;"),
        "addresses": body(f"x[0] = {'& ' * n}x;"),
        "casts": body(f"x[0] = {'(int)' * n}n;"),
        "vector casts": body(f"v = {'(float4)(' * n}1{')' * n};"),
        "conditionals": body(f"x[0] = {'n ? 1 : ' * n}2;"),
        "conditionals in the middle": body(f"x[0] = {'n ? ' * n}1{' : 2' * n};"),
        "assignments": body(f"{'n = ' * n}1;"),
        "commas": body(f"x[0] = ({'n, ' * n}1);"),
        "sums": body(f"x[0] = {'n + ' * n}1;"),
        "sums to the right": body(f"x[0] = {'n + (' * n}1{')' * n};"),
        "mixed operators": body(f"x[0] = {'n + n * n << n & ' * n}1;"),
        "logic": body(f"x[0] = {'n && ' * n}1;"),
        "swizzles": body(f"v = v{'.xyzw' * n};"),
        "members": body(f"x[0] = v{'.x' * n};"),
        "sizeofs": body(f"x[0] = {'sizeof ' * n}n;"),
        "blocks": body("{" * n + "}" * n),
        "blocks left open": body("{" * n),
        "blocks closed": body("}" * n),
        "ifs": body("if (n) " * n + ";"),
        "else ifs": body("if (n) ; else " * n + ";"),
        "ifs in blocks": body("if (n) { " * n + "}" * n),
        "fors": body("for (;;) " * n + ";"),
        "whiles": body("while (n) " * n + ";"),
        "dos": body("do " * n + ";" + " while (n);" * n),
        "switches": body("switch (n) " * n + ";"),
        "cases": body("switch (n) { " + "case 1: " * n + "; }"),
        "labels": body("".join(f"l{i}: " for i in range(n)) + ";"),
        "structs": "struct s { " * n + "int a;" + " } b;" * n,
        "unions": "union { " * n + "int a;" + " };" * n,
        "pointers": f"kernel void f(global int *x) {{ int {'*' * n}p; }}",
        "arrays": f"kernel void f(global int *x) {{ int p{'[1]' * n}; }}",
        "declarators": f"kernel void f(global int *x) {{ int {'(' * n}p{')' * n}; }}",
        "function declarators": f"int {'(*' * n}p{')(int)' * n};",
        "parameters": "void f(" + "int (" * n + ")" * n + ");",
        "initialisers": body(f"int a[] = {'{' * n}1{'}' * n};"),
        "initialisers left open": body(f"int a[] = {'{' * n}"),
        "enumerations": "enum { a0" + "".join(f", a{i + 1} = a{i}" for i in range(n)) + " };",
        "typedefs": "".join(f"typedef t{i} t{i + 1};\n" for i in range(n)).replace("typedef t0 ", "typedef int ") + f"t{n} y(void);",
        "typedefs of pointers": "typedef int t0;\n" + "".join(f"typedef t{i} *t{i + 1};\n" for i in range(n)) + f"t{n} y(void);",
        "attributes": "__attribute__((" * n + "))" * n + " kernel void f(void) {}",
        "typeofs": body("typeof(" * n + "n" + ")" * n + " y;"),
        "statement expressions": body(f"x[0] = {'({ ' * n}1;{' })' * n};"),
        "block literals": body("^{ " * n + "}" * n + ";"),
        "functions": "".join(f"int g{i}(int n) {{ return {f'g{i - 1}(n)' if i else 'n'}; }}\n" for i in range(n)) + body(f"x[0] = g{n - 1}(1);"),
        "conditions": "#if 1\n" * n + "int x;\n" + "#endif\n" * n,
        "conditions left open": "#if 1\n" * n,
        "parentheses in a condition": f"#if {'(' * n}1{')' * n}\n#endif\n",
        "operators in a condition": f"#if {'- ' * n}1\n#endif\n",
        "sums in a condition": f"#if {'1 + ' * n}1\n#endif\n",
        "conditionals in a condition": f"#if {'1 ? 1 : ' * n}1\n#endif\n",
        "macros that name macros": "#define m0 1\n" + "".join(f"#define m{i + 1} m{i}\n" for i in range(n)) + body(f"x[0] = m{n};"),
        "macros that call macros": "#define m0(a) a\n" + "".join(f"#define m{i + 1}(a) m{i}(a)\n" for i in range(n)) + body(f"x[0] = m{n}(1);"),
        "macro arguments": "#define m(a) a\n" + body(f"x[0] = {'m(' * n}1{')' * n};"),
        "pragmas": "#pragma unroll\n" * n + body("for (;;) ;"),
        "line splices": "int x" + "\\\n" * n + ";",
        "comments": "/*" * n + "*/",
        "errors": body("y = 1; " * n),
        "syntax errors": body(") ; " * n),
        "same declaration": "int g(int n);\n" * n,
        "overloads": "".join(f"int __attribute__((overloadable)) g(int{' *' * (i % 9)}, ...);\n" for i in range(n)),
    }  # fmt: skip


def bombs() -> dict[str, str]:
    """Sources whose meaning is far larger than their text."""
    doubling = "#define m0 1 +\n" + "".join(f"#define m{i + 1} m{i} m{i}\n" for i in range(60))
    calls = "#define m0(a) a, a\n" + "".join(f"#define m{i + 1}(a) m{i}(a), m{i}(a)\n" for i in range(60))
    inside = "#define m0(a) a a\n" + "".join(f"#define m{i + 1}(a) m{i}(m{i}(a))\n" for i in range(40))
    return {
        "doubling macros": doubling + body("x[0] = m60 1;"),
        "doubling macros in a condition": doubling + "#if m60 1\n#endif\n",
        "doubling macros in a pragma": doubling + "#pragma unroll m60\n",
        "doubling macro calls": calls + body("int a[] = { m60(1) };"),
        "macro arguments that double": inside + body("x[0] = m40(1);"),
        "many uses of a long macro": "#define m " + "1 + " * 5000 + "\n" + body(f"x[0] = {'m ' * 5000} 1;"),
        "pasting": "#define p(a, b) a ## b\n#define m0 x\n" + "".join(f"#define m{i + 1} p(m{i}, m{i})\n" for i in range(40)) + "int m40;",
        "stringizing": "#define s(a) #a\n#define t(a) s(a)\n#define m0 \"\n" + "".join(f"#define m{i + 1} t(m{i})\n" for i in range(40)) + "m40",
        "large array": "constant int a[0x7fffffff] = {1};" + body("x[0] = a[0];"),
        "large arrays of arrays": body("int a[65536][65536][65536][65536]; a[0][0][0][0] = 1;"),
        "designated far away": "constant int a[] = { [2000000000] = 1 };" + body("x[0] = a[0];"),
        "range of cases": body("switch (n) { case -2147483647 ... 2147483647: x[0] = 1; }"),
        "structs of arrays of structs": "typedef struct { char a[1000]; } s0;\n" + "".join(
            f"typedef struct {{ s{i} a[1000]; }} s{i + 1};\n" for i in range(20)) + body("s20 s; s.a[0].a[0] = s.a[1].a[0];"),
        "unrolling": body("for (int i = 0; i < 2000000000; i++)\n#pragma unroll 2000000000\nx[0] += i;"),
        "shift of a constant": body("x[0] = 1 << 2000000000; int a[1 << 70]; long b = 1UL << 0xffffffffffffffff;"),
        "enumerator overflow": "enum { a = 0x7fffffffffffffff, b, c };" + body("x[0] = b;"),
        "alignment": body("int y __attribute__((aligned(1 << 30))); x[0] = y;"),
        "including itself": '#include "a.h"\n',
        "including each other": '#include "b.h"\n',
        "headers that double": '#include "d0.h"\n',
    }  # fmt: skip


HEADERS = {"a.h": '#include "a.h"\n#include "a.h"\n', "b.h": '#include "c.h"\n', "c.h": '#include "b.h"\n',
           **{f"d{i}.h": f'#include "d{i + 1}.h"\n' * 2 for i in range(60)}, "d60.h": "int x;\n"}  # fmt: skip


def unreasonable() -> dict[str, str]:
    """Long tokens, unfinished ones, and characters that have no place in a program."""
    n = 200_000
    unfinished = ["/*", "//", "/* *", '"', "'", '"\\', "'\\", "'\\x", '"\\u12', "#", "#define", "#define f(", "#define f(a", "#define f(a,", "#if", "#if (",
                  "#if defined", "#if defined(", "#include", "#include <", '#include "', "#pragma", "#line", "#line 3 \"", "#else", "#endif", "#elif 1", "\\",
                  "\\\n", "(", "[", "{", "^", "kernel", "kernel void", "kernel void f(", "kernel void f()", "kernel void f() {", "struct", "struct {",
                  "struct s", "enum", "enum {", "enum { a =", "typedef", "typedef struct", "int a[", "int a = ", "int a = {", "(float4)(", "x ? ", "x ? y :",
                  "__attribute__", "__attribute__((", "__attribute__((aligned(", "asm(", "typeof(", "sizeof", "case", "_Pragma(", "_Pragma(\"", "0x", "1e",
                  "1e+", "0b", "1.0q", "0777777777777777777777778", "@", "$", "\\u0041", "%:", "<:", "??=", "'ab'", "'abcdefgh'", "''", "L'a'", 'L"a"',
                  "u8\"a\"", "R\"(a)\"", ";", ";;;;", "}", ")", "__VA_ARGS__", "#define defined", "#define __LINE__ 3", "#undef __FILE__", "##", "# # #"]  # fmt: skip
    found = {f"unfinished {text!r}": text for text in unfinished}
    found |= {f"unfinished {text!r} in a function": "kernel void f(global int *x) { x[0] = 1; " + text for text in unfinished}
    macro = "#define f(a, b) a + b\n#define g(...) __VA_ARGS__\n#define h h(\n"
    found |= {f"unfinished call {text!r}": macro + text for text in ("f(", "f(1", "f(1,", "f(1, (", "f((((", "f(1, 2, 3)", "g(", "g((", "h 1", "f(\n#define f\n")}
    return found | {
        "long integer": body(f"x[0] = {'9' * n};"),
        "long hexadecimal integer": body(f"x[0] = 0x{'f' * n};"),
        "long octal integer": body(f"x[0] = 0{'7' * n};"),
        "long float": body(f"x[0] = 1.{'3' * n}f;"),
        "large exponent": body("x[0] = 1e999999999f; double d = 1e-999999999; d = 0x1p999999999; d = 1e99999999999999999999;"),
        "long exponent": body(f"x[0] = 1e{'9' * n}f;"),
        "long hexadecimal float": body(f"x[0] = 0x1.{'8' * n}p3f;"),
        "long character": body(f"x[0] = '{'a' * n}';"),
        "long identifier": body(f"int {'a' * n} = 1; x[0] = {'a' * n};"),
        "long unknown identifier": body(f"x[0] = {'a' * n};"),
        "long string": body(f'constant char *s = "{"a" * n}";'),
        "many strings": body('constant char *s = ' + '"a" ' * 20000 + ";"),
        "long escape": body(f"x[0] = '\\x{'1' * n}';"),
        "long swizzle": body(f"v.{'x' * n} = 1;"),
        "long swizzle of digits": body(f"v.s{'0' * n} = 1;"),
        "long suffix": body(f"x[0] = 1{'u' * n};"),
        "long line of blanks": " " * n + "x",
        "long line of operators": "+" * n,
        "long comment": f"/*{'*' * n}/ int x;",
        "long comment left open": f"/*{'*/ /*' * n}",
        "long condition": f"#if {'1 && ' * 20000} 1\n#endif\n",
        "long condition in integers": f"#if {'9' * n}\n#endif\n",
        "shifts in a condition": "#if 1 << 9999999999 << 0xffffffffffffffff >> -1\n#endif\n#if 1 % 0\n#endif\n#if -0x8000000000000000 / -1\n#endif\n",
        "long pragma": f"#pragma {'x' * n}\n",
        "long include": f'#include "{"x" * n}"\n',
        "line numbers": "#line 0\n#line 99999999999999999999\n#line -1\nx",
        "many parameters": f"void f({', '.join(f'int a{i}' for i in range(20000))}) {{}}",
        "many arguments": body(f"x[0] = max({', '.join('1' * 20000)});"),
        "many macro parameters": f"#define f({', '.join(f'a{i}' for i in range(5000))}) 1\nf(1)",
        "many declarators": body(f"int {', '.join(f'a{i}' for i in range(20000))};"),
        "many kernels": "".join(f"kernel void f{i}(global int *x) {{ x[{i}] = {i}; }}\n" for i in range(3000)),
        "many functions of one name": "int f(void);" * 20000,
        "zero bytes": "kernel void f(\0global int *x) { x[0] = \0 1; }\0",
        "zero byte in a macro": "#define f \0x\nf",
        "byte order mark": "\ufeffkernel void f(global int *x) { x[0] = 1; }",
        "byte order mark inside": "kernel void\ufeff f(global int *x) { x[0] = 1; }",
        "lone surrogates": "kernel void f(global int *x) { x[0] = '\udc80'; \ud800 }",
        "lone surrogate in a string": 'kernel void f(global int *x) { constant char *s = "\udc80"; }',
        "lone surrogate in a comment": "/* \udc80 */ kernel void f(global int *x) { x[0] = 1; // \udcff\n }",
        "letters of all kinds": "kernel void f(global int *ж) { ж[0] = ª + ² + ٣; }",
        "form feeds": "\f\v\x1a kernel void f(global int *x)\r{ x[0] = 1;\r\n }\x85\u2028\u2029",
    }  # fmt: skip


def fixed_sources() -> Iterator[tuple[str, str]]:
    for depth in DEPTHS:
        yield from ((f"{depth} {name}", source) for name, source in nested(depth).items())
    yield from bombs().items()
    yield from unreasonable().items()


# -- judging ---------------------------------------------------------------------------------------------------------


class TooSlow(Exception):
    pass


def give_up(number: int, frame: object) -> None:
    raise TooSlow


def fault(source: str) -> str:
    """What is wrong with how the source was taken: "" for a translation or an error with a position, in time."""
    start = time.perf_counter()
    try:
        translation = translate(source, filename="hostile.cl", headers=HEADERS)
        translation.source("host").encode()
    except CompileError as error:
        if not any(d.severity == "error" and d.position for d in error.diagnostics):
            return f"an error without a position: {str(error)[:200]!r}"
        str(error).encode("utf-8", "backslashreplace")
    except MemoryError:
        return "out of memory"
    except Exception as error:
        last = error.__traceback__
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        where = f"{last.tb_frame.f_code.co_filename}:{last.tb_lineno}" if last else ""
        return f"{type(error).__name__}: {str(error)[:200]} at {where}"
    duration = time.perf_counter() - start
    return f"{duration:.1f} s" if duration > SECONDS else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="how many random sources")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memory", type=float, default=2, help="address space in GB")
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="write faulty sources there")
    parser.add_argument("name", nargs="*", help="only fixed sources whose name holds one of these; `random` alone: no fixed ones")
    arguments = parser.parse_args()
    signal.signal(signal.SIGALRM, give_up)
    resource.setrlimit(resource.RLIMIT_AS, (int(arguments.memory * 2**30), resource.RLIM_INFINITY))
    sources = list(fixed_sources())
    if arguments.name:
        sources = [(name, source) for name, source in sources if any(n in name for n in arguments.name)]
    faults, slowest, accepted = 0, (0.0, ""), 0
    both = (sources, random_sources(0 if arguments.name and arguments.name != ["random"] else arguments.count, arguments.seed))
    for group in both:
        for name, source in group:
            start = time.perf_counter()
            signal.setitimer(signal.ITIMER_REAL, 2 * SECONDS)
            found = fault(source)
            signal.setitimer(signal.ITIMER_REAL, 0)
            slowest = max(slowest, (time.perf_counter() - start, name))
            accepted += 1
            if found:
                faults += 1
                print(f"{name}: {found}", flush=True)
                if arguments.save:
                    arguments.save.mkdir(parents=True, exist_ok=True)
                    (arguments.save / f"{name.replace(' ', '_').replace('/', '')[:60]}.cl").write_text(source, "utf-8", "surrogatepass")
    print(f"{accepted} sources, {faults} taken wrongly; the slowest: {slowest[1]}, {slowest[0]:.1f} s")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
