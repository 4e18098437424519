"""The signature table: one row a function, in the specification's own notation (OpenCL C 3.0, section 6.15).

A pure table; `table` expands it. To add a function: a row here, and its scalar form (or all forms, if it is not elementwise)
in the section's `.cuh`, in CUDA's words; a word that the host lacks goes into `library/host/`. What the notation means:

    gentype     one type for all that say gentype: the section's scalars and their vectors of 2, 3, 4, 8, 16 elements;
                sgentype its element; ugentype and igentype the unsigned and signed integer of its size
    floatn      float2 to float16, with one n for all of a signature
    T *p        a pointer to global, local, private, and generic memory (OpenCL 2.0); const T *p to constant as well
    volatile T *p   an atomic's pointer: global or local
    name{n}     the width is part of the name
    aQual       an image's access qualifier: read_write, read_only of what is not written, write_only of what is not read

The columns after the signature are separated by `|`: the bound of the error for float, for double, for half (7.4; the notation is
that of `bounds`), then any `since=`, `requires=`, `relaxed=` (the bound for float under -cl-unsafe-math-optimizations), `kind=` and
`element=`.

    kind        elementwise: the vector form applies the scalar function to each component
                mask: so too, and turns its 1 into -1 (relational functions)
                written: each form is in the section files
                half_data: composed over the conversions of half
                image: composed over `image.cuh`
                block, media_block: composed by `blocks`
    element     the function that the vector form applies, where it is not the scalar form
    half        "float": the form for half, unless written for that very type, is the one for float between two conversions
    code        the function in the section files, where C++ cannot tell the overloads apart: it knows no address spaces
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from . import image_rows
from .bounds import Bound, bound
from .typenames import FLOATS, INTEGERS, SIGNED, WITH_HALF


class Row(NamedTuple):
    """One line of the specification's tables of functions.

    since       OpenCL C version times 100
    requires    the extension or feature that the function needs, "one or other", or ""; a feature (__opencl_c_…) is implied by
                OpenCL C 2.x
    bounds      of float, double and half; () where section 7.4 says nothing of the function
    relaxed     table 67's, for float
    parameter_code   the C++ function where the last argument is a parameter that points to global memory
    aligned_code     the C++ function where it points to global memory, that is first told whether what it accesses is aligned
    """

    name: str
    signature: str
    section: str
    since: int = 100
    requires: str = ""
    bounds: tuple[Bound, ...] = ()
    relaxed: Bound | None = None
    kind: str = "elementwise"
    element: str = ""
    half: str = ""
    code: str = ""
    parameter_code: str = ""
    aligned_code: str = ""
    gentypes: tuple[str, ...] = ()
    widths: tuple[int, ...] = (1, 2, 3, 4, 8, 16)

    def bound(self, element: str) -> Bound | None:
        """What the specification says of the function for that type."""
        return dict(zip(("float", "double", "half"), self.bounds, strict=False)).get(element)


_FLOATS = (*FLOATS, "half")


def _rows(section: str, text: str, **common: object) -> Iterator[Row]:
    for line in text.strip().splitlines():
        signature, *columns = (part.strip() for part in line.split("|"))
        fields: dict[str, object] = {**common}
        fields["bounds"] = tuple(bound(column) for column in columns if "=" not in column)
        for column in columns:
            if "=" in column:
                key, value = column.split("=")
                fields[key] = int(value) if key == "since" else bound(value) if key == "relaxed" else value
        name = signature[: signature.index("(")].split()[-1].lstrip("*")
        yield Row(name, signature, section, **fields)  # type: ignore[arg-type]


_WORK_ITEM = """
uint get_work_dim()
size_t get_global_size(uint dimindx)
size_t get_global_id(uint dimindx)
size_t get_local_size(uint dimindx)
size_t get_enqueued_local_size(uint dimindx) | since=200
size_t get_local_id(uint dimindx)
size_t get_num_groups(uint dimindx)
size_t get_group_id(uint dimindx)
size_t get_global_offset(uint dimindx) | since=110
size_t get_global_linear_id() | since=200
size_t get_local_linear_id() | since=200
"""

_MATH = """
gentype acos(gentype x) | 4 | 4 | 2 | relaxed=4096
gentype acosh(gentype x) | 4 | 4 | 2 | relaxed=8192
gentype acospi(gentype x) | 5 | 5 | 2 | relaxed=8192
gentype asin(gentype x) | 4 | 4 | 2 | relaxed=4096
gentype asinh(gentype x) | 4 | 4 | 2 | relaxed=8192
gentype asinpi(gentype x) | 5 | 5 | 2 | relaxed=8192
gentype atan(gentype y_over_x) | 5 | 5 | 2 | relaxed=4096
gentype atan2(gentype y, gentype x) | 6 | 6 | 2 | relaxed=8192
gentype atanh(gentype x) | 5 | 5 | 2 | relaxed=8192 in -1..1
gentype atanpi(gentype x) | 5 | 5 | 2 | relaxed=8192
gentype atan2pi(gentype y, gentype x) | 6 | 6 | 2 | relaxed=8192
gentype cbrt(gentype x) | 2 | 2 | 2 | relaxed=8192
gentype ceil(gentype x) | 0 | 0 | 0
gentype copysign(gentype x, gentype y) | 0 | 0 | 0
gentype cos(gentype x) | 4 | 4 | 2 | relaxed=2^-11 absolute in -pi..pi
gentype cosh(gentype x) | 4 | 4 | 2 | relaxed=8192 in -88..88
gentype cospi(gentype x) | 4 | 4 | 2 | relaxed=2^-11 absolute in -1..1
gentype erfc(gentype x) | 16 | 16 | 4
gentype erf(gentype x) | 16 | 16 | 4
gentype exp(gentype x) | 3 | 3 | 2 | relaxed=3+2x
gentype exp2(gentype x) | 3 | 3 | 2 | relaxed=3+2x
gentype exp10(gentype x) | 3 | 3 | 2 | relaxed=8192
gentype expm1(gentype x) | 3 | 3 | 2 | relaxed=8192
gentype fabs(gentype x) | 0 | 0 | 0
gentype fdim(gentype x, gentype y) | 0.5 | 0.5 | 0.5
gentype floor(gentype x) | 0 | 0 | 0
gentype fma(gentype a, gentype b, gentype c) | 0.5 | 0.5 | 0.5
gentype fmax(gentype x, gentype y) | 0 | 0 | 0
gentype fmax(gentype x, sgentype y) | 0 | 0 | 0
gentype fmin(gentype x, gentype y) | 0 | 0 | 0
gentype fmin(gentype x, sgentype y) | 0 | 0 | 0
gentype fmod(gentype x, gentype y) | 0 | 0 | 0
gentype fract(gentype x, gentype *iptr) | 0.5 | 0.5 | 0.5
floatn frexp(floatn x, intn *exp) | 0 | 0 | 0
float frexp(float x, int *exp) | 0 | 0 | 0
doublen frexp(doublen x, intn *exp) | 0 | 0 | 0
double frexp(double x, int *exp) | 0 | 0 | 0
halfn frexp(halfn x, intn *exp) | 0 | 0 | 0
half frexp(half x, int *exp) | 0 | 0 | 0
gentype hypot(gentype x, gentype y) | 4 | 4 | 2
intn ilogb(floatn x) | 0 | 0 | 0
int ilogb(float x) | 0 | 0 | 0
intn ilogb(doublen x) | 0 | 0 | 0
int ilogb(double x) | 0 | 0 | 0
intn ilogb(halfn x) | 0 | 0 | 0
int ilogb(half x) | 0 | 0 | 0
floatn ldexp(floatn x, intn k) | 0.5 | 0.5 | 0.5
floatn ldexp(floatn x, int k) | 0.5 | 0.5 | 0.5
float ldexp(float x, int k) | 0.5 | 0.5 | 0.5
doublen ldexp(doublen x, intn k) | 0.5 | 0.5 | 0.5
doublen ldexp(doublen x, int k) | 0.5 | 0.5 | 0.5
double ldexp(double x, int k) | 0.5 | 0.5 | 0.5
halfn ldexp(halfn x, intn k) | 0.5 | 0.5 | 0.5
halfn ldexp(halfn x, int k) | 0.5 | 0.5 | 0.5
half ldexp(half x, int k) | 0.5 | 0.5 | 0.5
gentype lgamma(gentype x) | undefined | undefined | undefined
floatn lgamma_r(floatn x, intn *signp) | undefined | undefined | undefined
float lgamma_r(float x, int *signp) | undefined | undefined | undefined
doublen lgamma_r(doublen x, intn *signp) | undefined | undefined | undefined
double lgamma_r(double x, int *signp) | undefined | undefined | undefined
halfn lgamma_r(halfn x, intn *signp) | undefined | undefined | undefined
half lgamma_r(half x, int *signp) | undefined | undefined | undefined
gentype log(gentype x) | 3 | 3 | 2 | relaxed=3, 2^-21 absolute in 0.5..2
gentype log2(gentype x) | 3 | 3 | 2 | relaxed=3, 2^-21 absolute in 0.5..2
gentype log10(gentype x) | 3 | 3 | 2 | relaxed=3, 2^-21 absolute in 0.5..2
gentype log1p(gentype x) | 2 | 2 | 2 | relaxed=8192
gentype logb(gentype x) | 0 | 0 | 0
gentype mad(gentype a, gentype b, gentype c) | fused or not | any | any
gentype maxmag(gentype x, gentype y) | 0 | 0 | 0 | since=110
gentype minmag(gentype x, gentype y) | 0 | 0 | 0 | since=110
gentype modf(gentype x, gentype *iptr) | 0 | 0 | 0
floatn nan(uintn nancode) | 0 | 0 | 0
float nan(uint nancode) | 0 | 0 | 0
doublen nan(ulongn nancode) | 0 | 0 | 0
double nan(ulong nancode) | 0 | 0 | 0
halfn nan(ushortn nancode) | 0 | 0 | 0
half nan(ushort nancode) | 0 | 0 | 0
gentype nextafter(gentype x, gentype y) | 0 | 0 | 0
gentype pow(gentype x, gentype y) | 16 | 16 | 4 | relaxed=8192
floatn pown(floatn x, intn y) | 16 | 16 | 4 | relaxed=8192
float pown(float x, int y) | 16 | 16 | 4 | relaxed=8192
doublen pown(doublen x, intn y) | 16 | 16 | 4 | relaxed=8192
double pown(double x, int y) | 16 | 16 | 4 | relaxed=8192
halfn pown(halfn x, intn y) | 16 | 16 | 4 | relaxed=8192
half pown(half x, int y) | 16 | 16 | 4 | relaxed=8192
gentype powr(gentype x, gentype y) | 16 | 16 | 4 | relaxed=8192
gentype remainder(gentype x, gentype y) | 0 | 0 | 0
floatn remquo(floatn x, floatn y, intn *quo) | 0 | 0 | 0
float remquo(float x, float y, int *quo) | 0 | 0 | 0
doublen remquo(doublen x, doublen y, intn *quo) | 0 | 0 | 0
double remquo(double x, double y, int *quo) | 0 | 0 | 0
halfn remquo(halfn x, halfn y, intn *quo) | 0 | 0 | 0
half remquo(half x, half y, int *quo) | 0 | 0 | 0
gentype rint(gentype x) | 0 | 0 | 0
floatn rootn(floatn x, intn y) | 16 | 16 | 4 | relaxed=8192
float rootn(float x, int y) | 16 | 16 | 4 | relaxed=8192
doublen rootn(doublen x, intn y) | 16 | 16 | 4 | relaxed=8192
double rootn(double x, int y) | 16 | 16 | 4 | relaxed=8192
halfn rootn(halfn x, intn y) | 16 | 16 | 4 | relaxed=8192
half rootn(half x, int y) | 16 | 16 | 4 | relaxed=8192
gentype round(gentype x) | 0 | 0 | 0
gentype rsqrt(gentype x) | 2 | 2 | 1
gentype sin(gentype x) | 4 | 4 | 2 | relaxed=2^-11 absolute in -pi..pi
gentype sincos(gentype x, gentype *cosval) | 4 | 4 | 2 | relaxed=2^-11 absolute in -pi..pi
gentype sinh(gentype x) | 4 | 4 | 2 | relaxed=8192 in -88..88
gentype sinpi(gentype x) | 4 | 4 | 2 | relaxed=2^-11 absolute in -1..1
gentype sqrt(gentype x) | 3 | 0.5 | 1.5
gentype tan(gentype x) | 5 | 5 | 2.5 | relaxed=8192
gentype tanh(gentype x) | 5 | 5 | 2 | relaxed=8192
gentype tanpi(gentype x) | 6 | 6 | 2 | relaxed=8192 in -1..1
gentype tgamma(gentype x) | 16 | 16 | 4
gentype trunc(gentype x) | 0 | 0 | 0
"""

_HALF_NATIVE = """
gentype half_cos(gentype x) | 8192
gentype half_divide(gentype x, gentype y) | 8192
gentype half_exp(gentype x) | 8192
gentype half_exp2(gentype x) | 8192
gentype half_exp10(gentype x) | 8192
gentype half_log(gentype x) | 8192
gentype half_log2(gentype x) | 8192
gentype half_log10(gentype x) | 8192
gentype half_powr(gentype x, gentype y) | 8192
gentype half_recip(gentype x) | 8192
gentype half_rsqrt(gentype x) | 8192
gentype half_sin(gentype x) | 8192
gentype half_sqrt(gentype x) | 8192
gentype half_tan(gentype x) | 8192
gentype native_cos(gentype x) | implementation-defined
gentype native_divide(gentype x, gentype y) | implementation-defined
gentype native_exp(gentype x) | implementation-defined
gentype native_exp2(gentype x) | implementation-defined
gentype native_exp10(gentype x) | implementation-defined
gentype native_log(gentype x) | implementation-defined
gentype native_log2(gentype x) | implementation-defined
gentype native_log10(gentype x) | implementation-defined
gentype native_powr(gentype x, gentype y) | implementation-defined
gentype native_recip(gentype x) | implementation-defined
gentype native_rsqrt(gentype x) | implementation-defined
gentype native_sin(gentype x) | implementation-defined
gentype native_sqrt(gentype x) | implementation-defined
gentype native_tan(gentype x) | implementation-defined
"""

_INTEGER = """
ugentype abs(gentype x)
ugentype abs_diff(gentype x, gentype y)
gentype add_sat(gentype x, gentype y)
gentype hadd(gentype x, gentype y)
gentype rhadd(gentype x, gentype y)
gentype clamp(gentype x, gentype minval, gentype maxval) | since=110
gentype clamp(gentype x, sgentype minval, sgentype maxval) | since=110
gentype clz(gentype x)
gentype ctz(gentype x) | since=200
gentype mad_hi(gentype a, gentype b, gentype c)
gentype mad_sat(gentype a, gentype b, gentype c)
gentype max(gentype x, gentype y)
gentype max(gentype x, sgentype y) | since=110
gentype min(gentype x, gentype y)
gentype min(gentype x, sgentype y) | since=110
gentype mul_hi(gentype x, gentype y)
gentype rotate(gentype v, gentype i)
gentype sub_sat(gentype x, gentype y)
short upsample(char hi, uchar lo)
ushort upsample(uchar hi, uchar lo)
shortn upsample(charn hi, ucharn lo)
ushortn upsample(ucharn hi, ucharn lo)
int upsample(short hi, ushort lo)
uint upsample(ushort hi, ushort lo)
intn upsample(shortn hi, ushortn lo)
uintn upsample(ushortn hi, ushortn lo)
long upsample(int hi, uint lo)
ulong upsample(uint hi, uint lo)
longn upsample(intn hi, uintn lo)
ulongn upsample(uintn hi, uintn lo)
gentype popcount(gentype x) | since=120
"""

_INTEGER_24 = """
gentype mad24(gentype x, gentype y, gentype z)
gentype mul24(gentype x, gentype y)
"""

_COMMON = """
gentype clamp(gentype x, gentype minval, gentype maxval) | 0 | 0 | 0
gentype clamp(gentype x, sgentype minval, sgentype maxval) | 0 | 0 | 0
gentype degrees(gentype radians) | 2 | 2 | 2
gentype max(gentype x, gentype y) | 0 | 0 | 0
gentype max(gentype x, sgentype y) | 0 | 0 | 0
gentype min(gentype x, gentype y) | 0 | 0 | 0
gentype min(gentype x, sgentype y) | 0 | 0 | 0
gentype mix(gentype x, gentype y, gentype a) | 1e-3 absolute | implementation-defined | implementation-defined
gentype mix(gentype x, gentype y, sgentype a) | 1e-3 absolute | implementation-defined | implementation-defined
gentype radians(gentype degrees) | 2 | 2 | 2
gentype step(gentype edge, gentype x) | 0 | 0 | 0
gentype step(sgentype edge, gentype x) | 0 | 0 | 0
gentype smoothstep(gentype edge0, gentype edge1, gentype x) | 1e-5 absolute | implementation-defined | implementation-defined
gentype smoothstep(sgentype edge0, sgentype edge1, gentype x) | 1e-5 absolute | implementation-defined | implementation-defined
gentype sign(gentype x) | 0 | 0 | 0
"""

_CROSS = "\n".join(f"{t}{n} cross({t}{n} p0, {t}{n} p1) | 3 max^2 | 3 max^2 | 3 max^2" for t in _FLOATS for n in (4, 3))
_GEOMETRIC = """
sgentype dot(gentype p0, gentype p1) | 2n-1 max^2 | 2n-1 max^2 | 2n-1 max^2
sgentype distance(gentype p0, gentype p1) | 2.5+2n | 5.5+2n | 2n
sgentype length(gentype p) | 2.75+0.5n | 5.5+n | 0.25+0.5n
gentype normalize(gentype p) | 2+n | 4.5+n | 1+n
"""

_FAST_GEOMETRIC = """
sgentype fast_distance(gentype p0, gentype p1) | 8191.5+2n
sgentype fast_length(gentype p) | 8191.5+n
gentype fast_normalize(gentype p) | 8192+n
"""

_COMPARISONS = ("isequal", "isnotequal", "isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater")
_ORDERS = ("isordered", "isunordered")
_CLASSES = ("isfinite", "isinf", "isnan", "isnormal", "signbit")
_RELATIONAL = "\n".join(
    f"{result}{n} {name}({', '.join(f'{element}{n} {p}' for p in parameters)}) | kind={'mask' if n else 'elementwise'}"
    for names, parameters in ((_COMPARISONS + _ORDERS, "xy"), (_CLASSES, "x"))
    for name in names
    for element, n, result in (*((t, "", "int") for t in _FLOATS), ("float", "n", "int"), ("double", "n", "long"), ("half", "n", "short"))
)

_SELECT = """
gentype bitselect(gentype a, gentype b, gentype c)
gentype select(gentype a, gentype b, igentype c) | element=select_by_sign
gentype select(gentype a, gentype b, ugentype c) | element=select_by_sign
"""

_VECTOR_DATA = """
gentype vload{n}(size_t offset, const sgentype *p) | parameter_code=vload{n}_global | aligned_code=vload{n}_if
void vstore{n}(gentype data, size_t offset, sgentype *p) | parameter_code=vstore{n}_global | aligned_code=vstore{n}_if
"""

_ROUNDINGS = ("", "_rte", "_rtz", "_rtp", "_rtn")
# OpenCL C 1.2, 6.12.7: "For n = 1, 2, 4, 8 and 16 read sizeof(halfn) bytes", so that vloada_half and vstorea_half are functions, too. Later
# texts begin with 2, and clang has dropped them; drivers kept them, and programs call them.
_HALF_DATA = "\n".join(
    [
        "float vload_half(size_t offset, const half *p)",
        "float vloada_half(size_t offset, const half *p)",
        "floatn vload_half{n}(size_t offset, const half *p)",
        "floatn vloada_half{n}(size_t offset, const half *p)",
    ]
    + [
        f"void {name}_half{r}({element} data, size_t offset, half *p)"
        for name in ("vstore", "vstorea")
        for element in FLOATS
        for r in _ROUNDINGS
    ]
    + [
        f"void {name}_half{{n}}{r}({element}n data, size_t offset, half *p)"
        for name in ("vstore", "vstorea")
        for element in FLOATS
        for r in _ROUNDINGS
    ]
)

_SYNCHRONIZATION = """
void barrier(uint flags)
void work_group_barrier(uint flags) | since=200
void work_group_barrier(uint flags, int scope) | since=200
void mem_fence(uint flags)
void read_mem_fence(uint flags)
void write_mem_fence(uint flags)
"""

_BASE = (("add", 1), ("sub", 1), ("xchg", 1), ("inc", 0), ("dec", 0), ("cmpxchg", 2))
_EXTENDED = (("min", 1), ("max", 1), ("and", 1), ("or", 1), ("xor", 1))
_ATOMIC_VALUES = ("", ", {0} val", ", {0} cmp, {0} val")


def _atomics(prefix: str, operations: tuple[tuple[str, int], ...], types: tuple[str, ...] = ("int", "uint")) -> str:
    return "\n".join(f"{t} {prefix}_{op}(volatile {t} *p{_ATOMIC_VALUES[n].format(t)})" for op, n in operations for t in types)


ROWS: tuple[Row, ...] = (
    *_rows("6.15.1", _WORK_ITEM, kind="written"),
    *_rows("6.15.2", _MATH, gentypes=_FLOATS, half="float"),
    *_rows("6.15.2", _HALF_NATIVE, gentypes=("float",)),
    *_rows("6.15.3", _INTEGER, gentypes=INTEGERS),
    *_rows("6.15.3", _INTEGER_24, gentypes=("int", "uint")),
    *_rows("6.15.4", _COMMON, gentypes=_FLOATS, half="float"),
    *_rows("6.15.5", _CROSS, kind="written", half="float"),
    *_rows("6.15.5", _GEOMETRIC, gentypes=_FLOATS, widths=(1, 2, 3, 4), kind="written", half="float"),
    *_rows("6.15.5", _FAST_GEOMETRIC, gentypes=("float",), widths=(1, 2, 3, 4), kind="written"),
    *_rows("6.15.6", _RELATIONAL, half="float"),
    *_rows("6.15.6", "int any(gentype x)\nint all(gentype x)", gentypes=SIGNED, kind="written"),
    *_rows("6.15.6", _SELECT, gentypes=WITH_HALF),
    *_rows("6.15.7", _VECTOR_DATA, gentypes=WITH_HALF, kind="written"),
    *_rows("6.15.7", _HALF_DATA, kind="half_data"),
    *_rows("6.15.8", _SYNCHRONIZATION, kind="written"),
    *_rows("6.15.12.8", _atomics("atomic", _BASE + _EXTENDED), since=110, kind="written"),
    *_rows("6.15.12.8", "float atomic_xchg(volatile float *p, float val)", since=110, kind="written"),
    *_rows("6.15.12.8", _atomics("atom", _BASE), requires="cl_khr_global_int32_base_atomics", kind="written"),
    *_rows("6.15.12.8", _atomics("atom", _EXTENDED), requires="cl_khr_global_int32_extended_atomics", kind="written"),
    *_rows("6.15.15.2", image_rows.READS, kind="image"),
    *_rows("6.15.15.3", image_rows.SAMPLERLESS_READS, since=120, kind="image"),
    *_rows("6.15.15.4", image_rows.WRITES, kind="image"),
    *_rows("6.15.15.4", image_rows.VOLUME_WRITES, requires="cl_khr_3d_image_writes or __opencl_c_3d_image_writes", kind="image"),
    *_rows("6.15.15.5", image_rows.QUERIES, kind="image"),
    *_rows("6.15.15.2", image_rows.MIPMAP_READS, requires="cl_khr_mipmap_image", kind="image"),
    *_rows("6.15.15.4", image_rows.MIPMAP_WRITES, requires="cl_khr_mipmap_image_writes", kind="image"),
    *_rows("6.15.15.5", image_rows.MIPMAP_QUERIES, requires="cl_khr_mipmap_image", kind="image"),
    *_rows("6.15.14", "int printf(constant char *format, ...)", since=120, kind="written"),
)
