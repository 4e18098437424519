"""The signature table's other half: the functions by which work-items act on each other's memory and values.

64-bit and C11 atomics (6.15.12), async copies (6.15.11), work-group and sub-group functions (6.15.8, 6.15.16, 6.15.17, 6.15.20).
A pure table in the notation of `rows`; `volatile atomic_T *p` may be generic too, and `global T *p`, `local T *p` are what they say.
kind=collective: composed from the function's name by `collectives`.
"""

from __future__ import annotations

from .rows import Row
from .rows import _atomics as atomics
from .rows import _rows as rows
from .typenames import ARITHMETIC, INTEGERS, WIDTHS

_BASE = (("add", 1), ("sub", 1), ("xchg", 1), ("inc", 0), ("dec", 0), ("cmpxchg", 2))
_EXTENDED = (("min", 1), ("max", 1), ("and", 1), ("or", 1), ("xor", 1))
_LONG = ("long", "ulong")

# -- 6.15.11 ---------------------------------------------------------------------------------------------------------

_TO_LOCAL, _TO_GLOBAL = "local gentype *dst, const global gentype *src", "global gentype *dst, const local gentype *src"
_STRIDED = "size_t num_gentypes, size_t stride, event_t event"
_ASYNC = f"""
event_t async_work_group_copy({_TO_LOCAL}, size_t num_gentypes, event_t event)
event_t async_work_group_copy({_TO_GLOBAL}, size_t num_gentypes, event_t event)
event_t async_work_group_strided_copy({_TO_LOCAL}, {_STRIDED}) | since=110 | code=async_work_group_gather
event_t async_work_group_strided_copy({_TO_GLOBAL}, {_STRIDED}) | since=110 | code=async_work_group_scatter
void prefetch(const global gentype *p, size_t num_gentypes)
"""

# -- 6.15.12 ---------------------------------------------------------------------------------------------------------

_ATOMIC_INTEGERS = ("int", "uint", "long", "ulong", "intptr_t", "uintptr_t", "size_t", "ptrdiff_t")
_ATOMIC_TYPES = (*_ATOMIC_INTEGERS, "float", "double")
_KEYS = ("add", "sub", "or", "xor", "and", "min", "max")
_SEQ_CST, _DEVICE = "__opencl_c_atomic_order_seq_cst", "__opencl_c_atomic_scope_device"


def _ordered(result: str, name: str, parameters: str, orders: str = "memory_order order") -> list[str]:
    """A function in its three forms: plain, with an order, with order and scope."""
    return [
        f"{result} {name}({parameters}) | requires={_SEQ_CST}",
        f"{result} {name}_explicit({parameters}, {orders}) | requires={_DEVICE}",
        f"{result} {name}_explicit({parameters}, {orders}, memory_scope scope)",
    ]


def _c11(type_: str) -> list[str]:
    p = f"volatile atomic_{type_} *p"
    lines = [f"void atomic_init({p}, {type_} value)"]
    lines += _ordered("void", "atomic_store", f"{p}, {type_} desired")
    lines += _ordered(type_, "atomic_load", p)
    lines += _ordered(type_, "atomic_exchange", f"{p}, {type_} desired")
    for strength in ("strong", "weak"):
        parameters = f"{p}, {type_} *expected, {type_} desired"
        lines += _ordered("bool", f"atomic_compare_exchange_{strength}", parameters, "memory_order success, memory_order failure")
    if type_ in _ATOMIC_INTEGERS:
        for key in _KEYS:
            # 6.15.12.7.5: "For key = add or sub on atomic types atomic_intptr_t and atomic_uintptr_t, M is ptrdiff_t."
            operand = "ptrdiff_t" if key in ("add", "sub") and type_ == "uintptr_t" else type_
            lines += _ordered(type_, f"atomic_fetch_{key}", f"{p}, {operand} operand")
    return lines


_C11 = "\n".join(line for type_ in _ATOMIC_TYPES for line in _c11(type_))
_FLAG = "\n".join(
    [
        "void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)",
        *_ordered("bool", "atomic_flag_test_and_set", "volatile atomic_flag *p"),
        *_ordered("void", "atomic_flag_clear", "volatile atomic_flag *p"),
    ]
)

# -- 6.15.16, 6.15.17 ------------------------------------------------------------------------------------------------

_COLLECTIVES = "__opencl_c_work_group_collective_functions"
_GROUP_TYPES = ("int", "uint", "long", "ulong", "float", "double")
_SHAPES = ("reduce", "scan_inclusive", "scan_exclusive")
_ARITHMETIC_OPS, _BITWISE, _LOGICAL = ("add", "mul", "min", "max"), ("and", "or", "xor"), ("logical_and", "logical_or", "logical_xor")

_WORK_GROUP = """
int work_group_all(int predicate)
int work_group_any(int predicate)
"""
_WORK_GROUP_BROADCAST = """
gentype work_group_broadcast(gentype a, size_t local_id)
gentype work_group_broadcast(gentype a, size_t local_id_x, size_t local_id_y)
gentype work_group_broadcast(gentype a, size_t local_id_x, size_t local_id_y, size_t local_id_z)
"""


def _shapes(prefix: str, ops: tuple[str, ...], shapes: tuple[str, ...] = _SHAPES, more: str = "") -> str:
    type_ = "int" if ops == _LOGICAL else "gentype"
    return "\n".join(f"{type_} {prefix}{shape}_{op}({type_} x{more})" for shape in shapes for op in ops)


# -- 6.15.20 ---------------------------------------------------------------------------------------------------------

_SUB_GROUP = """
uint get_sub_group_size()
uint get_max_sub_group_size()
uint get_num_sub_groups()
uint get_enqueued_num_sub_groups()
uint get_sub_group_id()
uint get_sub_group_local_id()
void sub_group_barrier(cl_mem_fence_flags flags)
void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope) | since=200
int sub_group_all(int predicate)
int sub_group_any(int predicate)
"""
_SUB_GROUP_BROADCAST = "gentype sub_group_broadcast(gentype x, uint sub_group_local_id)"
_UNIFORM = _shapes("sub_group_", ("add", "min", "max"))

_BALLOT = """
uint4 sub_group_ballot(int predicate)
int sub_group_inverse_ballot(uint4 value)
int sub_group_ballot_bit_extract(uint4 value, uint index)
uint sub_group_ballot_bit_count(uint4 value)
uint sub_group_ballot_inclusive_scan(uint4 value)
uint sub_group_ballot_exclusive_scan(uint4 value)
uint sub_group_ballot_find_lsb(uint4 value)
uint sub_group_ballot_find_msb(uint4 value)
uint4 get_sub_group_eq_mask()
uint4 get_sub_group_ge_mask()
uint4 get_sub_group_gt_mask()
uint4 get_sub_group_le_mask()
uint4 get_sub_group_lt_mask()
"""
_NON_UNIFORM_BROADCAST = "gentype sub_group_non_uniform_broadcast(gentype value, uint index)"
_BROADCAST_FIRST = "gentype sub_group_broadcast_first(gentype value)"

_VOTE = """
int sub_group_elect()
int sub_group_non_uniform_all(int predicate)
int sub_group_non_uniform_any(int predicate)
"""
_ALL_EQUAL = "int sub_group_non_uniform_all_equal(gentype value)"
_SHUFFLE = """
gentype sub_group_shuffle(gentype value, uint index)
gentype sub_group_shuffle_xor(gentype value, uint mask)
"""
_SHUFFLE_RELATIVE = """
gentype sub_group_shuffle_up(gentype value, uint delta)
gentype sub_group_shuffle_down(gentype value, uint delta)
"""
_ROTATE = """
gentype sub_group_rotate(gentype value, int delta)
gentype sub_group_clustered_rotate(gentype value, int delta, uint clustersize)
"""
# No OpenCL C specification has these: they are OpenCL C++'s named_barrier as Intel's compiler spells it.
_NAMED_BARRIERS = """
local named_barrier_t *named_barrier_init(uint sub_group_count)
void work_group_named_barrier(local named_barrier_t *barrier, cl_mem_fence_flags flags)
void work_group_named_barrier(local named_barrier_t *barrier, cl_mem_fence_flags flags, memory_scope scope)
"""
_NON_UNIFORM, _CLUSTERED, _CLUSTER = "sub_group_non_uniform_", "sub_group_clustered_", ", uint clustersize"


def _scalars(section: str, text: str, types: tuple[str, ...], requires: str, kind: str = "written") -> tuple[Row, ...]:
    """Rows for these scalars, and for half, which needs cl_khr_fp16 too (whatever else they need is offered with it)."""
    given = rows(section, text, gentypes=types, widths=(1,), requires=requires, kind=kind)
    return (*given, *rows(section, text, gentypes=("half",), widths=(1,), requires="cl_khr_fp16", kind=kind))


def _group_arithmetic(section: str, prefix: str, types: tuple[str, ...], requires: str, since: int = 100) -> tuple[Row, ...]:
    """mul, the bitwise and the logical operations, which extensions add to add, min and max."""
    integers = tuple(t for t in types if t in INTEGERS)
    return (
        *_scalars(section, _shapes(prefix, ("mul",)), types, requires, "collective"),
        *rows(section, _shapes(prefix, _BITWISE), gentypes=integers, widths=(1,), requires=requires, since=since, kind="collective"),
        *rows(section, _shapes(prefix, _LOGICAL), requires=requires, since=since, kind="collective"),
    )


_BALLOTS, _VOTES, _ROTATES = "cl_khr_subgroup_ballot", "cl_khr_subgroup_non_uniform_vote", "cl_khr_subgroup_rotate"
_CLUSTERS, _NON_UNIFORMS = "cl_khr_subgroup_clustered_reduce", "cl_khr_subgroup_non_uniform_arithmetic"
_NAMED = "cl_khr_subgroup_named_barrier"
_EXTENDED_TYPES, _SMALL = "cl_khr_subgroup_extended_types", ("char", "uchar", "short", "ushort")

CONCURRENT_ROWS: tuple[Row, ...] = (
    *rows("6.15.11", _ASYNC, gentypes=(*ARITHMETIC, "half"), kind="written"),
    *rows("6.15.11", "void wait_group_events(int num_events, event_t *event_list)", kind="written"),
    *rows("6.15.12", _C11 + "\n" + _FLAG, since=200, kind="written"),
    *rows("6.15.12.9", atomics("atom", _BASE, _LONG), requires="cl_khr_int64_base_atomics", kind="written"),
    *rows("6.15.12.9", atomics("atom", _EXTENDED, _LONG), requires="cl_khr_int64_extended_atomics", kind="written"),
    *rows("6.15.16", _WORK_GROUP, since=200, requires=_COLLECTIVES, kind="written"),
    *_scalars("6.15.16", _WORK_GROUP_BROADCAST, _GROUP_TYPES, _COLLECTIVES),
    *_scalars("6.15.16", _shapes("work_group_", ("add", "min", "max")), _GROUP_TYPES, _COLLECTIVES, "collective"),
    *_group_arithmetic("6.15.17", "work_group_", _GROUP_TYPES, "cl_khr_work_group_uniform_arithmetic"),
    *rows("6.15.20", _SUB_GROUP, requires="cl_khr_subgroups", kind="written"),
    *_scalars("6.15.20", _SUB_GROUP_BROADCAST, _GROUP_TYPES, "cl_khr_subgroups"),
    *_scalars("6.15.20", _UNIFORM, _GROUP_TYPES, "cl_khr_subgroups", "collective"),
    *rows("6.15.20", _SUB_GROUP_BROADCAST, gentypes=_SMALL, widths=(1,), requires=_EXTENDED_TYPES, kind="written"),
    *rows("6.15.20", _SUB_GROUP_BROADCAST, gentypes=(*ARITHMETIC, "half"), widths=WIDTHS, requires=_EXTENDED_TYPES, kind="written"),
    *rows("6.15.20", _UNIFORM, gentypes=_SMALL, widths=(1,), requires=_EXTENDED_TYPES, kind="collective"),
    *rows("6.15.20.1", _BALLOT, requires=_BALLOTS, kind="written"),
    *_scalars("6.15.20.1", _NON_UNIFORM_BROADCAST + "\n" + _BROADCAST_FIRST, ARITHMETIC, _BALLOTS),
    *rows("6.15.20.1", _NON_UNIFORM_BROADCAST, gentypes=(*ARITHMETIC, "half"), widths=WIDTHS, requires=_BALLOTS, kind="written"),
    *_scalars("6.15.20.2", _shapes(_CLUSTERED, _ARITHMETIC_OPS, ("reduce",), _CLUSTER), ARITHMETIC, _CLUSTERS, "collective"),
    *rows("6.15.20.2", _shapes(_CLUSTERED, _BITWISE, ("reduce",), _CLUSTER), gentypes=INTEGERS, widths=(1,), requires=_CLUSTERS,
          kind="collective"),
    *rows("6.15.20.2", _shapes(_CLUSTERED, _LOGICAL, ("reduce",), _CLUSTER), requires=_CLUSTERS, kind="collective"),
    *_scalars("6.15.20.3", _shapes(_NON_UNIFORM, ("add", "min", "max")), ARITHMETIC, _NON_UNIFORMS, "collective"),
    *_group_arithmetic("6.15.20.3", _NON_UNIFORM, ARITHMETIC, _NON_UNIFORMS),
    *rows("6.15.20.4", _VOTE, requires=_VOTES, kind="written"),
    *_scalars("6.15.20.4", _ALL_EQUAL, ARITHMETIC, _VOTES),
    *_scalars("6.15.20.5", _ROTATE, ARITHMETIC, _ROTATES),
    *_scalars("6.15.20.6", _SHUFFLE, ARITHMETIC, "cl_khr_subgroup_shuffle"),
    *_scalars("6.15.20.7", _SHUFFLE_RELATIVE, ARITHMETIC, "cl_khr_subgroup_shuffle_relative"),
    *rows(_NAMED, _NAMED_BARRIERS, since=200, requires=_NAMED, kind="written"),
)  # fmt: skip
