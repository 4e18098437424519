"""Random kernels of loops that count, sum and look for things under conditions on what they read: arrays of vectors and of small structs,
in every address space, whose parts the conditions compare. What each computes is known from a model in Python.

The shapes are those that the translator rewrites: operands of `&&` and `||` that are evaluated together, and sums that stay under their
condition. All values are small, so that nothing overflows; sums of floats are exact. Equal seeds give equal programs.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from dataclasses import dataclass

from tools.fuzz.generate import GROUP, INPUT, ITEMS, Block, Program

Environment = dict[str, float]
Value = Callable[[Environment], float]

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
_RESULTS = ("int", "uint", "int", "uint", "long", "ulong", "double", "float", "short", "uchar")
_BITS = {"uint": 32, "ulong": 64, "uchar": 8, "short": 16, "int": 32, "long": 64}
_ELEMENTS = ("int", "uint", "float", "short", "char")
_STEPS = 37  # iterations at most


@dataclass
class Array:
    """`parts` are those of an element, by the text behind it; element i has in[(gid * stride + i * len(parts) + part + start) & 63] & 127
    less `less`, where it does not have the whole of that number (`is_input`)."""

    name: str
    parts: list[str]
    length: int = INPUT
    stride: int = 0
    start: int = 0
    less: int = 0
    is_input: bool = False
    element: str = "int"

    def read(self, numbers: list[int], gid: int, index: int, part: int) -> int:
        return (numbers[(gid * self.stride + index * len(self.parts) + part + self.start) & (INPUT - 1)] & 127) - self.less


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


Step = Callable[[Environment], None]


class Kernel:
    """Statements come as text with what they do."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.seed = seed
        self.arrays: list[Array] = []
        self.results: list[tuple[str, str]] = []  # type, name
        self.head: list[Block] = []
        self.count = 0
        self.numbers: list[int] = []

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def name(self, lead: str) -> str:
        self.count += 1
        return f"{lead}{self.count}"

    # -- what is read --------------------------------------------------------------------------------------------------

    def array(self, definitions: list[Block]) -> None:
        """In local or private memory, filled with what comes in, or the input itself as vectors."""
        number, name = self.name("a"), self.name("p")
        if self.chance(30):
            width = self.rng.choice([2, 4])
            self.arrays.append(Array(name, [f".{'xyzw'[part]}" for part in range(width)], INPUT // width, is_input=True))
            self.head.append(Block(f"global const int{width} *{name} = (global const int{width} *)in;"))
            return
        element, stride, start = self.rng.choice(_ELEMENTS), self.rng.choice([0, 1, 3]), self.rng.randrange(INPUT)
        less = 0 if element == "uint" else self.rng.choice([0, 64])
        if self.chance(50):
            width = self.rng.choice([2, 3, 4, 8])
            type_, parts = f"{element}{width}", [f".s{part}" for part in range(width)]
        else:
            width = self.rng.choice([1, 2, 3, 4, 6])
            type_, parts = f"{number}_{self.seed}", [f".m{part}" for part in range(width)]
            definitions.append(Block(f"typedef struct {{ {' '.join(f'{element} m{part};' for part in range(width))} }} {type_};"))
        self.arrays.append(Array(name, parts, INPUT, stride, start, less, element=element))
        filled = [f"{name}[i]{part} = (in[(gid * {stride} + i * {width} + {place + start}) & {INPUT - 1}] & 127) - {less};"
                  for place, part in enumerate(parts)]
        if stride == 0 and self.chance(60):  # the same for all work-items
            self.head += [Block(f"local {type_} {name}[{INPUT}];"),
                          Block(f"for (int i = lid; i < {INPUT}; i += {GROUP}) {{", [Block(line) for line in filled], "}"),
                          Block("barrier(CLK_LOCAL_MEM_FENCE);")]  # fmt: skip
        else:
            self.head += [Block(f"{type_} {name}[{INPUT}];"), Block(f"for (int i = 0; i < {INPUT}; i++) {{", [Block(line) for line in filled], "}")]

    def element(self, cast: tuple[str, ...] = ("uint",)) -> tuple[str, Value]:
        """A part of an element near the counter's; of these types as an int."""
        array = self.rng.choice(self.arrays)
        part, ahead, numbers = self.rng.randrange(len(array.parts)), self.rng.choice([0, 0, 0, 1, 5]), self.numbers
        place = f"i + {ahead}" if ahead else "i"
        if array.length < INPUT:
            place = f"({place}) & {array.length - 1}"
        text = f"{'(int)' if array.element in cast else ''}{array.name}[{place}]{array.parts[part]}"
        return f"({text} & 127)" if array.is_input else text, lambda e: array.read(
            numbers, int(e["gid"]), int(e["i"]) + ahead & (array.length - 1), part)

    def small(self, cast: tuple[str, ...] = ("uint",)) -> tuple[str, Value]:
        """A value from -64 to 127."""
        number = self.rng.randrange(-20, 120)
        return self.rng.choice([
            self.element(cast), self.element(cast), self.element(cast), (str(number), lambda e: number), ("limit", lambda e: e["limit"]),
            ("i", lambda e: e["i"]), ("gid", lambda e: e["gid"])])  # fmt: skip

    def condition(self, depth: int = 2) -> tuple[str, Value]:
        if depth and self.chance(65):
            one, other = self.condition(depth - 1), self.condition(depth - 1)
            if self.chance(15):
                return f"!({one[0]})", lambda e: not one[1](e)
            if self.chance(50):
                return f"({one[0]} && {other[0]})", lambda e: bool(one[1](e)) and bool(other[1](e))
            return f"({one[0]} || {other[0]})", lambda e: bool(one[1](e)) or bool(other[1](e))
        left, right, sign = self.element(), self.small(), self.rng.choice(list(_COMPARISONS))
        if self.chance(12):
            mask = self.rng.choice([1, 3, 8])
            return f"((int){left[0]} & {mask})", lambda e: int(left[1](e)) & mask
        return f"{left[0]} {sign} {right[0]}", lambda e: _COMPARISONS[sign](left[1](e), right[1](e))

    # -- what is done --------------------------------------------------------------------------------------------------

    def sum(self) -> tuple[str, Step]:
        type_, name = self.rng.choice(self.results)
        whole = type_ not in ("double", "float")

        def set_to(e: Environment, value: float) -> None:
            if whole:
                bits = _BITS[type_]
                value = int(value) & (1 << bits) - 1
                value -= (value >> bits - 1 << bits) if type_ in ("int", "long", "short") else 0
            e[name] = value

        form = self.rng.randrange(6)
        if form == 0:
            sign = self.rng.choice([1, -1])
            step = {1: self.rng.choice([f"{name}++;", f"++{name};", f"{name} += 1;"]), -1: f"{name}--;"}[sign]
            return step, lambda e: set_to(e, e[name] + sign)
        text, value = self.small(("uint", "float"))
        if form == 1:
            return f"{name} -= {text};", lambda e: set_to(e, e[name] - value(e))
        if form == 2:
            condition, holds = self.condition(1)
            return f"{name} += {condition};", lambda e: set_to(e, e[name] + holds(e))
        if form == 3:
            condition, holds = self.condition(1)
            return f"{name} += {condition} ? {text} : 0;", lambda e: set_to(e, e[name] + (value(e) if holds(e) else 0))
        if form == 4 and whole:
            return f"{name} = {text} + {name};", lambda e: set_to(e, value(e) + e[name])
        return f"{name} += {text};", lambda e: set_to(e, e[name] + value(e))

    def statement(self, depth: int) -> tuple[list[Block], Step]:
        if depth == 0 or self.chance(35):
            text, step = self.sum()
            return [Block(text)], step
        condition, holds = self.condition()
        if self.chance(15):
            word, failure = self.rng.choice([("continue", _Continue), ("break", _Break)])

            def leave(e: Environment) -> None:
                if holds(e):
                    raise failure

            return [Block(f"if ({condition}) {word};")], leave
        yes, then = self.statements(self.rng.randrange(1, 3), depth - 1)
        if self.chance(60):
            return [Block(f"if ({condition}) {{", yes, "}")], lambda e: then(e) if holds(e) else None
        no, otherwise = self.statements(self.rng.randrange(1, 3), depth - 1)
        return [Block(f"if ({condition}) {{", yes, "}"), Block("else {", no, "}")], lambda e: (then if holds(e) else otherwise)(e)

    def statements(self, count: int, depth: int) -> tuple[list[Block], Step]:
        made = [self.statement(depth) for _ in range(count)]

        def run(e: Environment) -> None:
            for _, step in made:
                step(e)

        return [block for blocks, _ in made for block in blocks], run

    def loop(self) -> tuple[list[Block], Step]:
        length = self.rng.choice([1, 3, 4, 8, 16, _STEPS, -1])
        body, run = self.statements(self.rng.randrange(1, 5), 2)
        bound = str(length) if length > 0 else "limit"
        unroll = self.rng.choice(["", "", "", "#pragma unroll 1\n", "#pragma unroll 4\n"])

        def go(e: Environment) -> None:
            for number in range(length if length > 0 else int(e["limit"])):
                e["i"] = number
                try:
                    run(e)
                except _Continue:
                    pass
                except _Break:
                    return

        return [Block(f"{unroll}for (int i = 0; i < {bound}; i++) {{", body, "}")], go

    # -- the whole -----------------------------------------------------------------------------------------------------

    def build(self) -> tuple[list[Block], Step]:
        definitions: list[Block] = []
        for _ in range(self.rng.randrange(1, 4)):
            self.array(definitions)
        self.results = [(self.rng.choice(_RESULTS), self.name("r")) for _ in range(self.rng.randrange(1, 5))]
        self.head += [Block(f"{type_} {name} = 0;") for type_, name in self.results]
        made = [self.loop() for _ in range(self.rng.randrange(1, 4))]
        kernel = Block(f"kernel void k{self.seed}(global ulong *out, global const int *in, constant uint *table) {{", [
            Block("int gid = get_global_id(0), lid = get_local_id(0);"), Block(f"int limit = (in[gid] & 31) + {_STEPS - 32};"), *self.head,
            *[block for blocks, _ in made for block in blocks], Block("ulong h = 1469598103934665603ul;"),
            *[Block(f"h = (h ^ (ulong)(long){name}) * 1099511628211ul;") for _, name in self.results], Block("out[gid] = h;")], "}")  # fmt: skip

        def run(e: Environment) -> None:
            for _, step in made:
                step(e)

        return [*definitions, kernel], run


def program(seed: int) -> Program:
    return Program(seed, f"k{seed}", Kernel(seed).build()[0])


def expected(seed: int, numbers: list[int]) -> list[int]:
    """What each work-item leaves in `out`."""
    kernel = Kernel(seed)
    kernel.numbers = numbers
    _, run = kernel.build()
    found = []
    for gid in range(ITEMS):
        environment: Environment = {"gid": gid, "limit": (numbers[gid] & 31) + _STEPS - 32, "i": 0} | {name: 0 for _, name in kernel.results}
        run(environment)
        h = 1469598103934665603
        for _, name in kernel.results:
            h = (h ^ int(environment[name]) & (1 << 64) - 1) * 1099511628211 & (1 << 64) - 1
        found.append(h)
    return found
