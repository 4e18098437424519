"""The signature table's part for Intel's sub-group extensions: cl_intel_subgroups, the widths that _short, _char and _long add,
cl_intel_subgroup_local_block_io, cl_intel_media_block_io and cl_intel_subgroup_matrix_multiply_accumulate.

A pure table in the notation of `rows`. Where Khronos' functions do the same, they are the code. kind=block and media_block: composed
by `blocks`; kind=matrix: by `matrices`.
"""

from __future__ import annotations

from collections.abc import Iterator

from .rows import Row
from .rows import _rows as rows
from .typenames import WIDTHS

_CORE, _SHORT, _CHAR, _LONG = "cl_intel_subgroups", "cl_intel_subgroups_short", "cl_intel_subgroups_char", "cl_intel_subgroups_long"

_SHUFFLES = """
gentype intel_sub_group_shuffle(gentype data, uint c) | code=sub_group_shuffle
gentype intel_sub_group_shuffle_down(gentype current, gentype next, uint delta)
gentype intel_sub_group_shuffle_up(gentype previous, gentype current, uint delta)
gentype intel_sub_group_shuffle_xor(gentype data, uint value) | code=sub_group_shuffle_xor
"""
_BROADCAST = "gentype intel_sub_group_broadcast(gentype x, uint sub_group_local_id) | code=sub_group_broadcast"
_ARITHMETIC = "\n".join(
    f"gentype intel_sub_group_{shape}_{op}(gentype x) | code=sub_group_{shape}_{op}"
    for shape in ("reduce", "scan_exclusive", "scan_inclusive")
    for op in ("add", "min", "max")
)


# Suffix of the name, element, elements of a work-item, what brings them.
_BLOCKS = (
    ("", "uint", (1, 2, 4, 8), _CORE),
    ("_ui", "uint", (1, 2, 4, 8), f"{_SHORT} or {_CHAR}"),
    ("_us", "ushort", (1, 2, 4, 8, 16), _SHORT),
    ("_uc", "uchar", (1, 2, 4, 8, 16), _CHAR),
    ("_ul", "ulong", (1, 2, 4, 8), _LONG),
)


def _blocks(read_from: str, written_to: str, local: str = "") -> Iterator[Row]:
    """Every block function of one kind of memory; `local` is the extension that brings local memory's."""
    for suffix, element, widths, requires in _BLOCKS:
        for width in widths:
            n = "" if width == 1 else str(width)
            text = f"""{element}{n} intel_sub_group_block_read{suffix}{n}({read_from.format(element)})
            void intel_sub_group_block_write{suffix}{n}({written_to.format(element)}, {element}{n} data)"""
            yield from rows(_CORE, text, requires=local or requires, kind="block")


_MEDIA = "cl_intel_media_block_io"


def _media_blocks() -> Iterator[Row]:
    for suffix, element, widths in (("uc", "uchar", (1, 2, 4, 8, 16)), ("us", "ushort", (1, 2, 4, 8, 16)), ("ui", "uint", (1, 2, 4, 8))):
        for width in widths:
            n = "" if width == 1 else str(width)
            region, data = "int2 offset, int width, int height", f"{element}{n} pixels"
            text = f"""{element}{n} intel_sub_group_media_block_read_{suffix}{n}({region}, aQual image2d_t image)
            void intel_sub_group_media_block_write_{suffix}{n}({region}, {data}, aQual image2d_t image)"""
            yield from rows(_MEDIA, text, requires=_MEDIA, kind="media_block")


_MATRICES = "cl_intel_subgroup_matrix_multiply_accumulate"
# Elements of a and b, K, and what makes OpenCL C's types of a and b signed or not.
_SIGNS = {"i": "", "u": "u"}
_INTEGER_MATRICES = tuple(
    (f"{a}{bits}_{b}{bits}", 256 // bits, _SIGNS[a], _SIGNS[b]) for bits in (8, 4) for a in _SIGNS for b in _SIGNS
)


def _matrices() -> Iterator[Row]:
    """Every function for sub-groups of 8, where a work-item brings 32 bits of each row of a, and of 16, where it brings 16 bits."""
    for m in ("", "2", "4", "8"):
        lines: list[str] = []
        for part in ("int", "short"):
            for elements, k, a, b in _INTEGER_MATRICES:
                lines.append(f"int{m} intel_sub_group_{elements}_matrix_mad_k{k}({a}{part}{m} a, {b}int8 b, int{m} acc)")
            for element in ("bf16", "f16"):
                name = f"intel_sub_group_{element}_{element}_matrix_mad_k16"
                lines.append(f"float{m} {name}({part}{m} a, int8 b, float{m} acc)")
        lines.append(f"short{m} intel_sub_group_bf16_bf16_matrix_mad_k16(short{m} a, int8 b, short{m} acc)")
        lines.append(f"half{m} intel_sub_group_f16_f16_matrix_mad_k16(short{m} a, int8 b, half{m} acc)")
        for line in lines:
            yield from rows(_MATRICES, line, requires=_MATRICES, kind="matrix")


INTEL_ROWS: tuple[Row, ...] = (
    *rows(_CORE, _SHUFFLES, gentypes=("float", "int", "uint"), widths=(1, *WIDTHS), requires=_CORE, kind="written"),
    *rows(_CORE, _SHUFFLES, gentypes=("long", "ulong", "double"), widths=(1,), requires=_CORE, kind="written"),
    *rows(_CORE, _SHUFFLES, gentypes=("half",), widths=(1, *WIDTHS), requires="cl_khr_fp16", kind="written"),
    *rows(_CORE, _SHUFFLES, gentypes=("short", "ushort"), widths=(1, *WIDTHS), requires=_SHORT, kind="written"),
    *rows(_CORE, _SHUFFLES, gentypes=("char", "uchar"), widths=(1, *WIDTHS), requires=_CHAR, kind="written"),
    *rows(_CORE, _SHUFFLES, gentypes=("long", "ulong", "double"), widths=WIDTHS, requires=_LONG, kind="written"),
    *rows(_CORE, _BROADCAST, gentypes=("short", "ushort"), widths=(1, *WIDTHS), requires=_SHORT, kind="written"),
    *rows(_CORE, _BROADCAST, gentypes=("char", "uchar"), widths=(1, *WIDTHS), requires=_CHAR, kind="written"),
    *rows(_CORE, _ARITHMETIC, gentypes=("short", "ushort"), widths=(1,), requires=_SHORT, kind="collective"),
    *rows(_CORE, _ARITHMETIC, gentypes=("char", "uchar"), widths=(1,), requires=_CHAR, kind="collective"),
    *_blocks("const global {} *p", "global {} *p"),
    *_blocks("aQual image2d_t image, int2 byte_coord", "aQual image2d_t image, int2 byte_coord"),
    *_media_blocks(),
    *_blocks("const local {} *p", "local {} *p", local="cl_intel_subgroup_local_block_io"),
    *_matrices(),
)
