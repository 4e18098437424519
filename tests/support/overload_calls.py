"""OpenCL C programs made of the signature table: a call of every overload, in kernels that can be compiled and run.

Arguments are the number 1 in each type, which the compiler does not know, and pointers to room enough; every result is stored.
Nothing here judges results: other tests do, function by function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cl2cuda.builtins.any_type_rows import ANY_TYPE_ROWS
from cl2cuda.builtins.opaque import OPAQUE
from cl2cuda.builtins.table import Overload, names, overloads
from cl2cuda.builtins.typenames import ARITHMETIC, INTEGERS, WIDTHS, split, vector
from cl2cuda.translator import Dialect, Translation, parse_options, translate

OPTIONS = "-cl-std=CL3.0"
DIALECT = Dialect(version=300)
CALLS = 40  # in a kernel
ROOM = 4096  # bytes behind each pointer: what a sub-group writes of 8 longs, and as much again, since offsets are 1
PRIVATE_ROOM = 512  # two vectors of 16 doubles


def every_overload() -> list[Overload]:
    """All of the table, and those that are patterns: as_type, convert_type, shuffle."""
    found = [o for name in (*names(), "shuffle", "shuffle2") for o in overloads(name)]
    for element in (*ARITHMETIC, "half"):
        for width in (1, *WIDTHS):
            type_ = vector(element, width)
            found += overloads(f"as_{type_}")
            for saturate in ("", "_sat") if element in INTEGERS else ("",):
                for rounding in ("", "_rte", "_rtz", "_rtp", "_rtn"):
                    found += overloads(f"convert_{type_}{saturate}{rounding}")
    return found


def is_offered(overload: Overload) -> bool:
    """Whether a program of OpenCL C 3.0 has it here."""
    needs = {overload.row.requires}
    for type_ in (overload.result, *overload.parameters):
        for word in type_.split():
            # Without cl_khr_fp16 half lives behind pointers only.
            if split(word)[0] == "half" and (word != "half" or not type_.endswith("*")):
                needs.add("cl_khr_fp16")
            elif word in OPAQUE:
                needs |= {OPAQUE[word].requires} | ({"__opencl_c_images"} if OPAQUE[word].kind == "image" else set())
            elif word == "read_write":
                needs.add("__opencl_c_read_write_images")
    return all(map(DIALECT.has, needs))


def takes_images(overload: Overload) -> bool:
    return any("image" in t for t in overload.parameters)


def use_of(overload: Overload) -> tuple[str, ...]:
    """What a program that calls the overload needs of the device library."""
    return ("fn", overload.code, overload.result, *overload.parameters)


@dataclass(frozen=True)
class Program:
    """kernels take `out` and `c`, two buffers of `CALLS * ROOM` bytes, the number 1, and then images of the types that stand with
    the kernel's name."""

    source: str
    overloads: tuple[Overload, ...]
    kernels: dict[str, tuple[str, ...]]

    def translation(self) -> Translation:
        """Checks that each call is the one that was meant."""
        translation = translate(self.source, parse_options(OPTIONS))
        missing = [o for o in self.overloads if use_of(o) not in translation.used_builtins and o.name not in ANY_TYPE_ROWS]
        assert not missing, missing[:3]
        return translation


def programs(found: Iterable[Overload], size: int = 10) -> Iterator[Program]:
    """The overloads' calls, `CALLS` in a kernel and `size` kernels in a program. Images are arguments of kernels of their own."""
    found = list(found)
    for group in ([o for o in found if not takes_images(o)], [o for o in found if takes_images(o)]):
        kernels = [group[i : i + CALLS] for i in range(0, len(group), CALLS)]
        for first in range(0, len(kernels), size):
            part = kernels[first : first + size]
            source = "".join(_kernel(f"k{i}", calls) for i, calls in enumerate(part))
            yield Program(source, tuple(o for calls in part for o in calls), {f"k{i}": _images(calls) for i, calls in enumerate(part)})


def _images(calls: list[Overload]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(t for o in calls for t in o.parameters if "image" in t))


def _kernel(name: str, calls: list[Overload]) -> str:
    images = _images(calls)
    declared = ["global uchar *out", "constant uchar *c", "uint one", *(f"{t} image{i}" for i, t in enumerate(images))]
    body = "".join(_call(i, o, images) for i, o in enumerate(calls))
    return f"""kernel void {name}({', '.join(declared)}) {{
    local ulong16 room[{ROOM // 128}];
    event_t event = 0;
{body}}}
"""


def _call(number: int, overload: Overload, images: tuple[str, ...]) -> str:
    place = f"out + {number * ROOM}"
    before: list[str] = []
    arguments = [_argument(i, t, overload, place, images, before) for i, t in enumerate(overload.parameters)]
    call = f"{overload.name}({', '.join(arguments)})"
    match overload.result:
        case "void":
            pass
        case "event_t":
            call = f"event = {call}; wait_group_events(1, &event)"
        case "bool":
            call = f"*(global int *)({place}) = {call}"
        case "size_t":
            call = f"*(global ulong *)({place}) = {call}"
        case result if result.endswith("*"):
            call = f"{result}made = {call}"
        case result:
            call = f"*(global {result} *)({place}) = {call}"
    return f"    {{ {' '.join(before)} {call}; }}\n"


_WORDS = {"memory_order": "memory_order_relaxed", "memory_scope": "memory_scope_device", "cl_mem_fence_flags": "CLK_GLOBAL_MEM_FENCE",
          "event_t": "event", "sampler_t": "CLK_FILTER_NEAREST", "bool": "true",
          "queue_t": "CLK_NULL_QUEUE", "clk_event_t": "create_user_event()", "clk_profiling_info": "CLK_PROFILING_COMMAND_EXEC_TIME"}



def _argument(index: int, type_: str, overload: Overload, place: str, images: tuple[str, ...], before: list[str]) -> str:
    if "image" in type_:
        return f"image{images.index(type_)}"
    if overload.name == "printf":
        return '""'
    if not type_.endswith("*"):
        if type_ in _WORDS:
            return _WORDS[type_]
        element, width = split(type_)
        return f"({element})one" if width == 1 else f"({type_})(({element})one)"
    words = type_.split()
    space = next(word for word in words if word in ("private", "global", "local", "constant", "generic"))
    pointee = words[-2]
    if pointee == "named_barrier_t":
        before.append("local named_barrier_t *own = named_barrier_init(1);")
        return "own"
    if pointee == "event_t":
        before.append(f"event_t e{index}[1] = {{event}}; event_t *g{index} = e{index};")
        return {"private": f"e{index}", "generic": f"g{index}"}.get(space, f"({space} event_t *)0")
    named = " ".join(word for word in words[:-1] if word != "generic")
    if space == "generic" and "atomic" in pointee:
        # 6.15.12.10: atomics of private memory are undefined, and CUDA stops a kernel that tries.
        before.append(f"{named} *g{index} = (global {named} *)({place});")
        return f"g{index}"
    if space in ("private", "generic"):
        before.append(f"ulong16 p{index}[{PRIVATE_ROOM // 128}] = {{one}};")
        if space == "private":
            return f"({named} *)p{index}"
        before.append(f"{named} *g{index} = ({named} *)p{index};")
        return f"g{index}"
    where = {"global": place, "local": "room", "constant": "c"}[space]
    return f"({named} *)({where})"


# Every function of any type, with scalars, vectors and structs. Not to be run: there are no pipes behind the arguments.
ANY_TYPE = "struct packet { int a; float4 b; };\n" + "".join(f"""
kernel void pipes_{i}(read_only pipe {t} in, write_only pipe {t} to, global {t} *g, global uint *n) {{
    local {t} l[2]; {t} p; {t} *any = &p; if (n[0]) any = l;
    n[1] = read_pipe(in, g) + read_pipe(in, &p) + read_pipe(in, l) + write_pipe(to, any) + write_pipe(to, (const {t} *)any);
    reserve_id_t r = reserve_read_pipe(in, 2), w = reserve_write_pipe(to, n[0]);
    n[2] = is_valid_reserve_id(r) + read_pipe(in, r, 0, any) + write_pipe(to, w, 1, g);
    commit_read_pipe(in, r); commit_write_pipe(to, w);
    r = work_group_reserve_read_pipe(in, 2); w = work_group_reserve_write_pipe(to, 2);
    work_group_commit_read_pipe(in, r); work_group_commit_write_pipe(to, w);
    r = sub_group_reserve_read_pipe(in, 2); w = sub_group_reserve_write_pipe(to, 2);
    sub_group_commit_read_pipe(in, r); sub_group_commit_write_pipe(to, w);
    n[3] = get_pipe_num_packets(in) + get_pipe_max_packets(to) + vec_step({'int' if 'struct' in t else t});
    const volatile {t} *where = any;
    n[4] = get_fence(any) + (to_global(where) != 0) + (to_local(any) != 0) + (to_private(where) != 0);
}}
kernel void enqueue_{i}(queue_t q, global {t} *g, global uint *n) {{
    const ndrange_t range = ndrange_1D(4); clk_event_t e = create_user_event(), f;
    void (^none)(void) = ^{{ g[0] = g[1]; }};
    void (^some)(local {t} *, local void *) = ^(local {t} *a, local void *b) {{ a[0] = g[2]; g[3] = a[0]; *(local int *)b = 1; }};
    n[0] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, range, none) + enqueue_kernel(q, 0, range, some, 64, 16ul);
    n[1] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, range, 1, &e, &f, none);
    n[2] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, range, 1, &e, NULL, some, n[9], (uchar)4);
    n[3] = get_kernel_work_group_size(none) + get_kernel_work_group_size(some);
    n[4] = get_kernel_preferred_work_group_size_multiple(none) + get_kernel_preferred_work_group_size_multiple(some);
    n[5] = get_kernel_sub_group_count_for_ndrange(range, none) + get_kernel_sub_group_count_for_ndrange(range, some);
    n[6] = get_kernel_max_sub_group_size_for_ndrange(range, none) + get_kernel_max_sub_group_size_for_ndrange(range, some);
}}
""" for i, t in enumerate(("char", "ulong3", "double16", "struct packet")))

ANY_TYPE_PROGRAM = Program(ANY_TYPE, (), {})
