"""The parser: pycparser's own as an oracle for plain C; OpenCL's and GNU's constructs by their shape; errors."""

import importlib.util
from pathlib import Path

import pycparser
import pytest
from pycparser import c_ast, c_parser

from cl2cuda.translator.diagnostics import NESTING, Diagnostics, TooManyErrors
from cl2cuda.translator.ir.source_map import SourceMap
from cl2cuda.translator.opencl_c.dialect import Dialect
from cl2cuda.translator.opencl_c.parse import tree
from cl2cuda.translator.opencl_c.parse.parse import parse
from cl2cuda.translator.opencl_c.preprocess.preprocess import preprocess
from cl2cuda.translator.options import parse_options


def run(source, version=120):
    diagnostics = Diagnostics()
    pre = SourceMap.plain(source, "a.cl")
    diagnostics.source_line = pre.source_line
    try:
        ast = parse(pre, diagnostics, Dialect(version=version))
    except TooManyErrors:
        ast = None
    return ast, diagnostics


def parsed(source, version=120):
    ast, diagnostics = run(source, version)
    assert not diagnostics.found, "\n".join(map(str, diagnostics.found))
    return ast


def body(statements, before="", version=120):
    """The block items of a function."""
    return parsed(f"{before} void f() {{ {statements} }}", version).ext[-1].body.block_items


def expression(text, before="", version=120):
    (item,) = body(f"x = {text};", before, version)
    return item.rvalue


def errors(source):
    return [f"{d.position.line}:{d.position.column}: {d.message}" for d in run(source)[1].found]


# Same trees as pycparser's

_CONSTANTS = {"double": "float", "long double": "float"}
_SKIPPED = {"coord", "attributes", "align", "storage", "underlying_type", "__weakref__"}


def shape(node):
    """A tree as nested tuples, without what is meant to differ: positions, attributes, names of constants' types."""
    if isinstance(node, list):
        return [shape(item) for item in node]
    if not isinstance(node, c_ast.Node):
        return node
    if isinstance(node, c_ast.Constant):
        return "Constant", _CONSTANTS.get(node.type, node.type.rsplit(" ", 1)[-1]), node.value
    if type(node).__name__ == "ArrayDesignator":  # which only pycparser 3 has
        return shape(node.expr)
    base = type(node) if type(node).__module__.startswith("pycparser") else type(node).__mro__[1]
    name = base.__name__
    keep = {"Decl": {"storage"}, "Typedef": {"storage"}}.get(name, set())
    fields = [field for field in base.__slots__ if field not in _SKIPPED - keep]
    return name, *((field, shape(getattr(node, field))) for field in fields)


PLAIN_C = [
    "int a, *b, c[3], (*d)[4], *e[2][3], (*f)(int, char *), *(*g[5])(void);",
    "const int *const volatile p; int const q; static unsigned long int r = 3; extern short s;",
    "void f(void); int g(); int h(int a, float, char *b[], int (*c)(int), ...);",
    "int k(const int a[const 3], int b[static 4], int c[*]);",
    "typedef struct point { int x, y; } Point, *PointPointer; Point a = {1, 2}; PointPointer b = &a;",
    "struct { int a; struct { int b; }; union { int c; float d; } e; int : 3; unsigned f : 4, g : 2; } s;",
    "struct empty {}; union u; enum color { red, green = 3, blue, }; enum color c; enum { one } d;",
    "int a[] = {1, 2, 3,}; struct s b = {.x = 1, .y[2] = 3, .z = {4, 5}}; int c[4] = {[2] = 1, [0 + 1] = 2}; int d[1] = {};",
    "typedef int T; void f(T T) { T = 3; } T g(void) { int T = 1; { T * T; } return (T) + 1; }",
    "typedef int T; void f(void) { T * x; T(y); T (*z)(T); x = (T)-1; x = sizeof(T) + sizeof x + sizeof(x) * sizeof(T *[3]); }",
    "typedef int T; struct s { T a; T *T; }; T f(T (*)(T));",
    "void f(void) { a = b ? c : d ? e : f; a = b = c += d; a ? b, c : d; (a, b); a = (b, c); }",
    "void f(void) { a + b * c - d / e % f << g >> h < i > j <= k >= l == m != n & o ^ p | q && r || s; }",
    "void f(void) { a - b - c; a || b && c | d ^ e & f == g < h << i + j * k; (a + b) * c; }",
    "void f(void) { -a + !b - ~c * *d & &e; ++a; --b; a++; b--; - -a; -(-a); (int)a++; (int *)b + 1; (int)(char)c; }",
    "void f(void) { a.b->c[1](2, 3)(); a[1][2].b++; (*a)(b); f(a, (b, c)); f(g(h(1))); }",
    "void f(void) { (struct s){1, 2}.x; (int[]){1, 2}[0]; g((int){3}); sizeof (int[]){1}; }",
    'void f(void) { 1; 1u; 1UL; 0x1fLL; 077; 1.0; 1.f; .5e3; 1e-3f; 0x1.8p3; \'a\'; \'\\n\'; "a" "b"; "\\1" "2"; "\\x1" "g"; }',
    "void f(void) { if (a) b; if (a) b; else c; if (a) if (b) c; else d; else e; if (a) {} else if (b) {} else {} }",
    "void f(void) { while (a) b; do c; while (d); do { e; } while (f); for (;;) ; for (a = 1; a < 2; a++) b; }",
    "void f(void) { for (int i = 0, j = 1; i < j; i++, j--) { continue; } for (;;) { break; } goto end; end: return; }",
    "int f(void) { l: a; m: n: b; o: ; return 1 + 2; }",
    "void f(void) { switch (a) { case 1: b; c; case 2: case 3: d; break; default: e; } }",
    "void f(void) { switch (a) { int x; case 1: {} break; default: case 4: ; } switch (b) case 1: c; switch (d) {} }",
    "void f(void) { switch (a) { case 1: while (b) { case 2: c; } } switch (a) { case 1: x: case 2: y; } }",
    "void f(void) { int a = 1; { int a = 2, b; a = b; } struct s { int x; } s; s.x = a; ; {} }",
    "#pragma pack(1)\nint a;\nvoid f(void) {\n#pragma unroll 4\nfor (;;) ;\nif (a)\n#pragma STDC x\n#pragma OPENCL y\nb;\n}",
    "static inline int f(int a) { return a; } inline static void g(void) {} int (h)(int a) { return a; }",
    "int (*f(int a))(float) { return 0; } char *g(char *const p) { return p; }",
    '_Static_assert(1 == 1, "message"); void f(void) { _Static_assert(sizeof(int) == 4, "x"); }',
    ";;int a;; void f(void) {};",
]


@pytest.mark.skipif(tuple(map(int, pycparser.__version__.split(".")[:2])) < (3, 12), reason="older versions differ in corners")
@pytest.mark.parametrize("source", PLAIN_C)
def test_trees_are_pycparser_s(source):
    assert shape(parsed(source)) == shape(c_parser.CParser().parse(source))


# OpenCL C


def test_kernel_and_address_spaces():
    source = (
        "__kernel void f(__global const float *restrict x, local int *y, __constant uint4 *z, read_only image2d_t i, size_t n) {}"
    )
    decl = parsed(source).ext[0].decl
    assert decl.funcspec == ["kernel"]
    x, y, z, i, n = decl.type.args.params
    assert (x.quals, x.type.quals, x.type.type.quals) == (["global", "const"], ["restrict"], ["global", "const"])
    assert (y.quals, z.quals, i.quals, n.quals) == (["local"], ["constant"], ["read_only"], [])
    assert [p.type.type.type.names for p in (x, y, z)] == [["float"], ["int"], ["uint4"]]
    assert i.type.type.names == ["image2d_t"]


def test_spellings_with_underscores_are_the_same():
    plain = 'kernel void f(global int *restrict p, const volatile signed char q) { typeof(q) r; asm(""); }'
    fancy = '__kernel void f(__global int *__restrict__ p, __const __volatile__ __signed char q) { __typeof__(q) r; __asm__(""); }'
    assert shape(parsed(plain)) == shape(parsed(fancy))


def test_address_space_between_pointers():
    decl = parsed("__constant float *__global *p;").ext[0]
    assert (decl.quals, decl.type.quals, decl.type.type.quals) == (["constant"], [], ["global"])


def test_generic_and_pipe_are_words_before_version_2():
    assert body("int generic = 1, pipe = 2;")[0].name == "generic"
    param = parsed("void f(generic int *p, read_only pipe int4 q);", 200).ext[0].type.args.params
    assert (param[0].quals, param[1].quals) == (["generic"], ["read_only", "pipe"])
    assert parsed("typedef struct { int a; } queue_t; queue_t q;").ext[1].name == "q"


def test_vector_literals():
    literal = expression("(float4)(a, b, 1.0f)")
    assert isinstance(literal, tree.VectorLiteral)
    assert literal.to_type.type.type.names == ["float4"]
    assert len(literal.elements) == 3
    assert len(expression("(int2)(1)").elements) == 1
    nested = expression("(float4)((float2)(1, 2), (float2)(3))")
    assert all(isinstance(element, tree.VectorLiteral) for element in nested.elements)


def test_casts_that_are_no_vector_literals():
    assert isinstance(expression("(float)(a)"), c_ast.Cast)
    assert isinstance(expression("(float4)a"), c_ast.Cast)
    assert isinstance(expression("(float4 *)(a)"), c_ast.Cast)
    outer = expression("(float4)(float4)(a)")
    assert isinstance(outer, c_ast.Cast) and isinstance(outer.expr, tree.VectorLiteral)
    comma = expression("(float)(a, b)")
    assert isinstance(comma, c_ast.Cast) and isinstance(comma.expr, c_ast.ExprList)


def test_a_postfix_binds_to_the_vector_literal():
    index = expression("(float4)(a, b)[1]")
    assert isinstance(index, c_ast.ArrayRef) and isinstance(index.name, tree.VectorLiteral)
    field = expression("-(float4)(a).xy * 2")
    assert isinstance(field, c_ast.BinaryOp) and isinstance(field.left.expr, c_ast.StructRef)
    cast = expression("(float)(a)[1]")
    assert isinstance(cast, c_ast.Cast) and isinstance(cast.expr, c_ast.ArrayRef)


@pytest.mark.parametrize(
    ("typedefs", "vector"),
    [
        ("typedef float4 T;", True),
        ("typedef float4 S; typedef S T;", True),
        ("typedef const float4 T;", True),
        ("typedef float T __attribute__((ext_vector_type(4)));", True),
        ("typedef float4 *T;", False),
        ("typedef float4 T[2];", False),
        ("typedef float T;", False),
        ("typedef struct { float4 v; } T;", False),
    ],
)
def test_typedefs_of_vectors(typedefs, vector):
    assert isinstance(expression("(T)(a)[1]", typedefs), c_ast.ArrayRef) is vector


def test_a_local_name_hides_a_type():
    items = body("float4 a; { int float4 = 2; b = (float4)(1); } c = (float4)(1);")
    hidden, shown = items[1].block_items[1], items[2]
    assert isinstance(hidden.rvalue, c_ast.FuncCall)
    assert isinstance(shown.rvalue, tree.VectorLiteral)


def test_user_typedefs_of_opencl_names():
    assert (
        parsed("typedef unsigned int uint; typedef unsigned char uchar; uint f(uchar a) { return (uint)a; }").ext[0].name == "uint"
    )


def test_literals():
    found = expression('f(1.0h, 1.5f, 0x1p-3, \'a\', 10u, 0b11, "a" "b")').args.exprs
    assert [(i.type, i.value) for i in found[:3]] == [("float", "1.0h"), ("float", "1.5f"), ("float", "0x1p-3")]
    assert [(i.type, i.value) for i in found[3:]] == [("char", "'a'"), ("int", "10u"), ("int", "0b11"), ("string", '"ab"')]


@pytest.mark.parametrize(
    ("text", "op", "operand"),
    [
        ("sizeof(float4)", "sizeof", c_ast.Typename),
        ("sizeof a[1]", "sizeof", c_ast.ArrayRef),
        ("vec_step(int3)", "vec_step", c_ast.Typename),
        ("vec_step(a)", "vec_step", c_ast.ID),
        ("__alignof__(int3)", "_Alignof", c_ast.Typename),
    ],
)
def test_operators_on_types(text, op, operand):
    node = expression(text)
    assert (node.op, type(node.expr)) == (op, operand)


def test_types_as_arguments_of_builtins():
    args = expression("__builtin_astype(a, float4)").args.exprs
    assert isinstance(args[1], c_ast.Typename)
    offset = expression("__builtin_offsetof(struct s, a.b[1])")
    assert offset.name.name == "offsetof" and isinstance(offset.args.exprs[0], c_ast.Typename)


# Attributes


def named(attributes):
    return [(a.name, [getattr(arg, "value", None) for arg in a.args]) for a in attributes]


@pytest.mark.parametrize(
    "source",
    [
        "__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void f() {}",
        "__attribute__((reqd_work_group_size(8, 4, 1))) __kernel void f() {}",
        "__kernel void __attribute__((__reqd_work_group_size__(8, 4, 1))) f() {}",
        "__kernel void f() __attribute__((reqd_work_group_size(8, 4, 1))) {}",
    ],
)
def test_attributes_of_functions(source):
    assert named(parsed(source).ext[0].decl.attributes) == [("reqd_work_group_size", ["8", "4", "1"])]


def test_vec_type_hint_names_a_type():
    (attribute,) = parsed("__kernel __attribute__((vec_type_hint(float4))) void f() {}").ext[0].decl.attributes
    assert isinstance(attribute.args[0], c_ast.Typename)


@pytest.mark.parametrize(
    "source",
    [
        "struct __attribute__((packed, aligned(8))) S { int a; };",
        "struct S { int a; } __attribute__((packed)) __attribute__((aligned(8)));",
        "union __attribute__((packed)) S { int a; } __attribute__((aligned(8)));",
        "typedef struct { int a; } __attribute__((packed, aligned(8))) S;",
        "struct __attribute__((packed)) S { int a; } __attribute__((aligned(8))) s;",
    ],
)
def test_attributes_of_structs(source):
    decl = parsed(source).ext[0]
    struct = decl.type if isinstance(decl.type, (c_ast.Struct, c_ast.Union)) else decl.type.type
    assert named(struct.attributes) == [("packed", []), ("aligned", ["8"])]
    assert not decl.attributes


def test_attributes_of_variables_members_and_typedefs():
    a, b = parsed("int a __attribute__((aligned(16))) = 0, b;").ext
    assert named(a.attributes) == [("aligned", ["16"])] and not b.attributes and a.init.value == "0"
    both = parsed("__attribute__((aligned(4))) int a, *b;").ext
    assert all(named(decl.attributes) == [("aligned", ["4"])] for decl in both)
    member = parsed("struct S { int x[2] __attribute__((aligned(8))); };").ext[0].type.decls[0]
    assert named(member.attributes) == [("aligned", ["8"])]
    typedef = parsed("typedef int T __attribute__((aligned(8)));").ext[0]
    assert named(typedef.attributes) == [("aligned", ["8"])]
    param = parsed("void f(int *__attribute__((nonnull)) p);").ext[0].type.args.params[0]
    assert named(param.attributes) == [("nonnull", [])]
    (local,) = body("__attribute__((aligned(16))) float v[4];")
    assert named(local.attributes) == [("aligned", ["16"])]


@pytest.mark.parametrize("loop", ["for (;;) ;", "while (1) ;", "do ; while (1);"])
def test_attributes_of_loops(loop):
    (item,) = body("__attribute__((opencl_unroll_hint(2))) " + loop)
    assert named(item.attributes) == [("opencl_unroll_hint", ["2"])]
    (item,) = body("if (a) __attribute__((opencl_unroll_hint(2))) " + loop)
    assert named(item.iftrue.attributes) == [("opencl_unroll_hint", ["2"])]


def test_attributes_of_other_statements():
    bare, before = body("__attribute__((fallthrough)); __attribute__((x)) a = 1;")
    assert isinstance(bare, tree.AttributeStatement) and bare.stmt is None
    assert isinstance(before, tree.AttributeStatement) and isinstance(before.stmt, c_ast.Assignment)


# GNU C and blocks


def test_statement_expression():
    node = expression("({ int t = 1; t; }) + 1").left
    assert isinstance(node, tree.StatementExpression) and len(node.body.block_items) == 2


def test_elvis():
    node = expression("a ?: b ?: c")
    assert node.iftrue is None and node.iffalse.iftrue is None


def test_typeof():
    a, b, c = body("typeof(x) a = 1; __typeof__(int *) b; const typeof(x + 1) *c;")
    assert isinstance(a.type.type, tree.TypeOf) and isinstance(a.type.type.expr, c_ast.ID)
    assert isinstance(b.type.type.expr, c_ast.Typename)
    assert isinstance(c.type.type.type.expr, c_ast.BinaryOp)
    assert isinstance(expression("(typeof(v))(a, b)"), tree.VectorLiteral)


def test_case_ranges():
    (switch,) = body("switch (a) { case 1 ... 3: b; break; default: ; }")
    case = switch.stmt.block_items[0]
    assert isinstance(case.expr, tree.CaseRange) and (case.expr.low.value, case.expr.high.value) == ("1", "3")
    assert len(case.stmts) == 2


def test_inline_assembly():
    (asm,) = body('asm volatile ("mov %0, %1;" "x" : "=r"(a), [n] "+r"(b) : "r"(c + 1) : "memory", "cc");')
    assert (asm.qualifiers, asm.template, asm.clobbers) == (["volatile"], '"mov %0, %1;x"', ['"memory"', '"cc"'])
    assert [(o.name, o.constraint) for o in asm.outputs] == [("", '"=r"'), ("n", '"+r"')]
    assert isinstance(asm.inputs[0].expr, c_ast.BinaryOp)
    assert isinstance(body('asm("bar.sync 0;");')[0], tree.Asm)
    assert body('__asm__("" :: "r"(a) : );')[0].inputs[0].constraint == '"r"'


def test_blocks():
    decl, call = body("int (^b)(int) = ^(int a) { return a; }; b(1);", version=200)
    assert isinstance(decl.type, tree.BlockDecl) and isinstance(decl.type.type, c_ast.FuncDecl)
    assert isinstance(decl.init, tree.BlockLiteral) and decl.init.type.type.type is None
    assert isinstance(call, c_ast.FuncCall)
    bare = expression("^{ return 1; }")
    assert bare.type is None
    full = expression("^int (int a) { return a; }")
    assert full.type.type.type.type.names == ["int"]
    assert isinstance(expression("a ^ b"), c_ast.BinaryOp)
    assert isinstance(parsed("typedef float (^T)(float);").ext[0].type, tree.BlockDecl)


def test_pragmas_stay_where_they_stand():
    items = body("\n#pragma unroll 4\nfor (;;) ;\n")
    assert (type(items[0]), items[0].string) == (c_ast.Pragma, "unroll 4")
    (loop,) = body("for (;;)\n#pragma unroll\nfor (;;) ;\n")
    assert [type(item).__name__ for item in loop.stmt.block_items] == ["Pragma", "For"]
    assert parsed("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nint a;").ext[0].string == "OPENCL EXTENSION cl_khr_fp64 : enable"


# Positions


def test_every_node_knows_its_place():
    source = "void f(int a) { b = c + d[1] * -e; g(h ? 1 : 2); int *p = &b; }"
    assignment, call, decl = parsed(source).ext[0].body.block_items
    assert source[assignment.coord] == "="
    assert source[assignment.rvalue.coord] == "+"
    assert source[assignment.rvalue.right.coord] == "*"
    assert source[assignment.rvalue.right.right.coord] == "-"
    assert source[call.coord] == "g"
    assert source[call.args.exprs[0].coord] == "?"
    assert source[decl.coord] == "p"
    assert source[decl.type.coord] == "*"

    def visit(node):
        assert isinstance(node.coord, int), node
        for child in node:
            visit(child)

    for text in PLAIN_C:
        visit(parsed(text))


# Errors


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("void f() { a = 1\nb = 2; }", ["1:17: expected ';' after expression"]),
        ("void f() { int a = 1\nb = 2; }", ["1:21: expected ';' at end of declaration"]),
        ("void f() { return 1\n}", ["1:20: expected ';' after return statement"]),
        ("void f() { break }", ["1:17: expected ';' after break statement"]),
        ("void f() { do a; while (1) }", ["1:27: expected ';' after do/while statement"]),
        ("int a\nint b;", ["1:6: expected ';' after top level declarator"]),
        ("struct S { int a }; int b;", ["1:17: expected ';' at end of declaration list"]),
        (
            "struct S { int a; }\nkernel void f() {}\nint = 2;",
            ["1:20: expected ';' after struct", "3:5: expected identifier or '('"],
        ),
        ("void f() { a = ; }", ["1:16: expected expression"]),
        ("void f() { a = (1; }", ["1:18: expected ')'"]),
        ("void f() { a = b[1; }", ["1:19: expected ']'"]),
        ("void f() { if a; }", ["1:15: expected '(' after 'if'"]),
        ("void f() { else a; }", ["1:12: expected expression"]),
        ("void f() { for (a; b) c; }", ["1:21: expected ';' in 'for' statement specifier"]),
        ("void f() { a = b ? c; }", ["1:21: expected ':'"]),
        ("void f() { goto 1; }", ["1:17: expected identifier"]),
        ("void f() { if (a) }", ["1:19: expected statement"]),
        ("void f() { a; ", ["1:14: expected '}'"]),
        ("int a; }\nint b = ;", ["1:8: extraneous closing brace ('}')", "2:9: expected expression"]),
        ("void f() {\n if (a) {\n}\nkernel void g() {}", ["4:17: function definition is not allowed here", "4:19: expected '}'"]),
        ("foo a;\nfoo b;\nbar *c;", ["1:1: unknown type name 'foo'", "3:1: unknown type name 'bar'"]),
        ("void f(foo a, bar, int b) {}", ["1:8: unknown type name 'foo'", "1:15: unknown type name 'bar'"]),
        ("void f() { foo a = 1; b = (foo)2; c = (bar)d; }", ["1:12: unknown type name 'foo'", "1:40: unknown type name 'bar'"]),
        ("void f(int a int b) { a = 1; b = 2; }\nint c = ;", ["1:14: expected ')'", "2:9: expected expression"]),
        ("void f() { a = float4; }", ["1:16: unexpected type name 'float4': expected expression"]),
        ("f() {}", ["1:1: type specifier missing, defaults to 'int'"]),
        ("void f() int a;", ["1:10: expected function body after function declarator"]),
        ("int struct S a;", ["1:5: cannot combine with previous type specifier"]),
        ("enum {};", ["1:7: use of empty enum"]),
        ("int a = 08;", ["1:9: invalid digit '8' in octal constant"]),
        (
            "int a = 1x, b = 0xE+1;",
            ["1:9: invalid suffix 'x' on integer constant", "1:17: invalid suffix '+1' on integer constant"],
        ),
        ("float a = 1.5z;", ["1:11: invalid suffix 'z' on floating constant"]),
        ("char a = '';", ["1:10: empty character constant"]),
        ('int a = f("x);', ['1:11: missing terminating " character']),
        ("int a = @1;", ["1:9: unexpected character '@'"]),
        ("int a = \x1b1;", ["1:9: unexpected character U+001B"]),
        ("void f() { a b c; d = ; e(; }\nint g", None),
    ],
)
def test_errors(source, expected):
    found = errors(source)
    if expected is None:  # several errors in one run
        assert len(found) >= 4
    else:
        assert found == expected


def test_an_error_shows_where_the_bracket_was_opened():
    diagnostic = run("void f() {\n  a = (1 + 2;\n}")[1].found[0]
    assert str(diagnostic) == (
        "a.cl:2:13: error: expected ')'\n      a = (1 + 2;\n                ^\n"
        "a.cl:2:7: note: to match this '('\n      a = (1 + 2;\n          ^"
    )


def test_the_limit_of_errors_stops_the_parser():
    ast, diagnostics = run("void f() {" + "a = ;" * 50 + "}")
    assert ast is None and diagnostics.errors == Diagnostics.limit


PUNCTUATORS = """typedef struct { float4 a; int b[3]; } S;
__kernel void f(__global float *x, S s)
{
    int i = get_global_id(0);
    for (int k = 0; k < 3; k++) {
        if (x[i] > 1.0f) {
            x[i] = (s.b[k] + 2) * fmax(x[i], 0.0f);
        }
    }
    x[i] += 1;
}
"""


@pytest.mark.parametrize("offset", [i for i, c in enumerate(PUNCTUATORS) if c in "()[];," or (c == "{" and i > 16)])
def test_a_lost_punctuator_is_reported_where_it_is_missed(offset):
    source = PUNCTUATORS[:offset] + " " + PUNCTUATORS[offset + 1 :]
    found = run(source)[1].found
    assert 1 <= len(found) <= 3
    lost = PUNCTUATORS.count("\n", 0, offset) + 1
    if PUNCTUATORS[offset] != "{":
        assert found[0].position.line in (lost, lost + 1)


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "+".join(["a"] * 5000) + ";",
        "x = " + "+b*c<".join(["a"] * 5000) + ";",
        " else ".join(["if (x) y = 1;"] * 5000),
        "x = " + "a ? b : " * 5000 + "c;",
        "x = " * 5000 + "c;",
        "x = " + "- " * 5000 + "c;",
        "x = " + "(int)" * 5000 + "c;",
        "x = a" + "[1]" * 5000 + ";",
        "int " + "*" * 5000 + "p;",
        "switch (x) {" + "".join(f"case {i}:" for i in range(5000)) + ";}",
        "x = " + "(" * 100 + "c" + ")" * 100 + ";",
        "{" * 100 + "}" * 100,
    ],
)
def test_long_chains_take_no_stack(text):
    assert len(body(text)) >= 1


@pytest.mark.parametrize(
    "text", ["x = " + "(" * 5000 + "c" + ")" * 5000 + ";", "{" * 5000 + "}" * 5000, "int x[] = " + "{" * 5000 + "}" * 5000]
)
def test_too_deep_a_nest_is_an_error_of_the_program(text):
    assert [d.message for d in run(f"void f() {{ {text} }}")[1].found] == [NESTING]


# Programs


def packaged_sources():
    found = importlib.util.find_spec("pyopencl")
    return sorted((Path(found.origin).parent / "cl").rglob("*.cl")) if found and found.origin else []


@pytest.mark.parametrize("path", packaged_sources(), ids=lambda path: path.name)
def test_pyopencl_s_own_sources(path):
    source = path.read_text()
    if path.name.endswith("complex.cl"):
        source = "#define PYOPENCL_DEFINE_CDOUBLE\n#include <pyopencl-complex.h>\n" + source
    options = parse_options(["-I", str(path.parent), "-I", str(path.parent.parent)])
    diagnostics = Diagnostics()
    dialect = Dialect.of(options)
    pre = preprocess(source, filename=path.name, options=options, dialect=dialect, diagnostics=diagnostics)
    ast = parse(pre, diagnostics, dialect)
    assert not diagnostics.found, "\n".join(map(str, diagnostics.found))
    assert any(isinstance(item, c_ast.FuncDef) for item in ast.ext)


def test_a_nul_character_is_ignored_with_a_warning():
    """Some programs count the text's end in its length, and go on behind it."""
    _, diagnostics = run("kernel void f(global int *o) { o[0] = 1; }\n\0\nkernel void g(global int *o) { o[0] = 2; }\n")
    assert [(str(each.position), each.severity, each.message) for each in diagnostics.found] == [
        ("a.cl:2:1", "warning", "null character ignored")]
