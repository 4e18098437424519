"""The signature table's third part: functions that extensions bring to sections which `rows` and `concurrent_rows` have otherwise.

A pure table in the notation of `rows`. In `requires`, {space} stands for the address space of the (atomic's) pointer.
"""

from __future__ import annotations

from .rows import Row
from .rows import _rows as rows
from .typenames import INTEGERS

# -- 6.15.3.1: cl_khr_extended_bit_ops ---------------------------------------------------------------------------------

_BIT_OPERATIONS = """
gentype bitfield_insert(gentype base, gentype insert, uint offset, uint count)
igentype bitfield_extract_signed(gentype base, uint offset, uint count)
ugentype bitfield_extract_unsigned(gentype base, uint offset, uint count)
gentype bit_reverse(gentype base)
"""

# -- 6.15.3: cl_khr_integer_dot_product --------------------------------------------------------------------------------

_DOT = "\n".join(
    line
    for a, b, result in (("uchar4", "uchar4", "uint"), ("char4", "char4", "int"), ("uchar4", "char4", "int"), ("char4", "uchar4", "int"))
    for line in (f"{result} dot({a} a, {b} b)", f"{result} dot_acc_sat({a} a, {b} b, {result} acc)")
)
_DOT_PACKED = "\n".join(
    line
    for signs, result in (("uu", "uint"), ("ss", "int"), ("us", "int"), ("su", "int"))
    for line in (
        f"{result} dot_4x8packed_{signs}_{result}(uint a, uint b)",
        f"{result} dot_acc_sat_4x8packed_{signs}_{result}(uint a, uint b, {result} acc)",
    )
)

# -- 6.15.11: cl_khr_async_work_group_copy_fence, cl_khr_extended_async_copies -------------------------------------------

_DIRECTIONS = (("local void *dst", "const global void *src"), ("global void *dst", "const local void *src"))
_ASYNC_2D = "\n".join(
    f"event_t async_work_group_copy_2D2D({dst}, size_t dst_offset, {src}, size_t src_offset, size_t num_bytes_per_element, "
    "size_t num_elements_per_line, size_t num_lines, size_t src_total_line_length, size_t dst_total_line_length, event_t event)"
    for dst, src in _DIRECTIONS
)
_ASYNC_3D = "\n".join(
    f"event_t async_work_group_copy_3D3D({dst}, size_t dst_offset, {src}, size_t src_offset, size_t num_bytes_per_element, "
    "size_t num_elements_per_line, size_t num_lines, size_t num_planes, size_t src_total_line_length, size_t src_total_plane_area, "
    "size_t dst_total_line_length, size_t dst_total_plane_area, event_t event)"
    for dst, src in _DIRECTIONS
)

# -- 6.15.12: cl_ext_float_atomics -------------------------------------------------------------------------------------

_BITS = {"half": 16, "float": 32, "double": 64}


def _ordered(result: str, name: str, parameters: str, requires: str, code: str = "") -> list[str]:
    """A function in its three forms: plain, with an order, with order and scope."""
    columns = f" | requires={requires}"
    plain, explicit = (f" | code={code}", f" | code={code}_explicit") if code else ("", "")
    return [
        f"{result} {name}({parameters}){columns}{plain}",
        f"{result} {name}_explicit({parameters}, memory_order order){columns}{explicit}",
        f"{result} {name}_explicit({parameters}, memory_order order, memory_scope scope){columns}{explicit}",
    ]


def _float_arithmetic(type_: str) -> list[str]:
    feature = f"__opencl_c_ext_fp{_BITS[type_]}_{{space}}_atomic_"
    found = []
    for key, group in (("add", "add"), ("sub", "add"), ("min", "min_max"), ("max", "min_max")):
        parameters = f"volatile atomic_{type_} *p, {type_} operand"
        found += _ordered(type_, f"atomic_fetch_{key}", parameters, feature + group, f"float_fetch_{key}")
    return found


_FLOAT_ATOMICS = "\n".join(line for type_ in _BITS for line in _float_arithmetic(type_))

# half is no type of the core's atomics: its loads and stores are the extension's, too.
_HALF = "volatile atomic_half *p"
_HALF_LOAD_STORE = "__opencl_c_ext_fp16_{space}_atomic_load_store"
_HALF_ATOMICS = "\n".join([
    f"void atomic_init({_HALF}, half value) | requires={_HALF_LOAD_STORE}",
    *_ordered("void", "atomic_store", f"{_HALF}, half desired", _HALF_LOAD_STORE, "half_store"),
    *_ordered("half", "atomic_load", _HALF, _HALF_LOAD_STORE, "half_load"),
    *_ordered("half", "atomic_exchange", f"{_HALF}, half desired", _HALF_LOAD_STORE, "half_exchange"),
])  # fmt: skip

# -- 6.15.21: cl_khr_kernel_clock --------------------------------------------------------------------------------------

_CLOCK = "\n".join(
    f"{result} clock_read_{form}{scope}() | requires=__opencl_c_kernel_clock_scope_{scope}"
    for scope in ("device", "work_group", "sub_group")
    for result, form in (("ulong", ""), ("uint2", "hilo_"))
)

_DOT_PRODUCT, _COPIES = "cl_khr_integer_dot_product", "cl_khr_extended_async_copies"

EXTENSION_ROWS: tuple[Row, ...] = (
    *rows("6.15.3.1", _BIT_OPERATIONS, gentypes=INTEGERS, requires="cl_khr_extended_bit_ops"),
    *rows("6.15.3", _DOT, requires=_DOT_PRODUCT, kind="written"),
    *rows("6.15.3", _DOT_PACKED, requires=_DOT_PRODUCT, kind="written"),
    *rows("6.15.11", "void async_work_group_copy_fence(cl_mem_fence_flags flags)", requires="cl_khr_async_work_group_copy_fence",
          kind="written"),
    *rows("6.15.11.1", _ASYNC_2D + "\n" + _ASYNC_3D, requires=_COPIES, kind="written"),
    *rows("6.15.12", _FLOAT_ATOMICS + "\n" + _HALF_ATOMICS, since=200, kind="written"),
    *rows("6.15.21", _CLOCK, kind="written"),
)  # fmt: skip
