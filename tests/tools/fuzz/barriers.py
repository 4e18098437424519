"""Random kernels whose work-items meet at barriers in control flow that is the same for all of them: no race, no overflow.

The shapes are those in which such kernels differ: loops and conditions around barriers, variables of every kind that live across them,
values that all items have in common, functions that meet, returns. With `early_returns` items also return while others go on to the next
barrier, which OpenCL leaves undefined and both forms of the host device's kernels do alike. Equal seeds give equal programs.
"""

from __future__ import annotations

import random

from tools.fuzz.generate import GROUP, Block, Program

_BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"
_TYPES = ("uint", "uint", "uint", "ushort", "uchar", "ulong", "uint4", "ushort2", "uint3")


class Kernel:
    """`own` are variables of each item: (how they are read, how they are written, type); `common` those that are the same for all."""

    def __init__(self, seed: int, early_returns: bool):
        self.rng = random.Random(seed)
        self.seed, self.early_returns = seed, early_returns
        self.own: list[tuple[str, str, str]] = []
        self.common: list[str] = ["n", "group", "3u"]
        self.frozen: set[str] = set()  # common variables that decide about a loop around
        self.helpers: list[Block] = []
        self.count = 0
        self.budget = 14
        self.loops = 0

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def name(self, lead: str) -> str:
        self.count += 1
        return f"{lead}{self.count}"

    # -- values ------------------------------------------------------------------------------------------------------

    def common_value(self, depth: int = 2) -> str:
        if depth == 0 or self.chance(40):
            return self.rng.choice([*self.common, str(self.rng.randrange(1, 9)) + "u", "(uint)get_local_size(0)", "(uint)get_group_id(0)"])
        op = self.rng.choice(["+", "*", "^", "&", "|", "-", ">>"])
        right = f"({self.common_value(depth - 1)} & 7u)" if op == ">>" else self.common_value(depth - 1)
        return f"({self.common_value(depth - 1)} {op} {right})"

    def value(self, depth: int = 2) -> str:
        if depth == 0 or self.chance(30):
            leaves = ["(uint)lid", "(uint)gid", f"(uint)in[(gid + {self.rng.randrange(64)}) & 63]", self.rng.choice(self.common)]
            leaves += [read for read, _, _ in self.rng.sample(self.own, min(3, len(self.own)))]
            return self.rng.choice(leaves)
        if self.chance(12):
            return f"({self.condition()} ? {self.value(depth - 1)} : {self.value(depth - 1)})"
        if self.chance(10):
            return f"{self.rng.choice(['max', 'min', 'rotate', 'mul_hi'])}({self.value(depth - 1)}, {self.value(depth - 1)})"
        op = self.rng.choice(["+", "*", "^", "&", "|", "-"])
        return f"({self.value(depth - 1)} {op} {self.value(depth - 1)})"

    def condition(self) -> str:
        """One that differs between items."""
        return self.rng.choice([f"lid {self.rng.choice(['<', '>', '==', '!='])} {self.rng.randrange(GROUP)}",
                                f"({self.value(1)} & {1 << self.rng.randrange(3)}u)", f"{self.value(1)} > {self.value(0)}"])

    def common_condition(self) -> str:
        return f"({self.common_value()} & {self.rng.choice([1, 2, 3])}u) {self.rng.choice(['==', '!='])} {self.rng.randrange(3)}u"

    # -- what each item does -----------------------------------------------------------------------------------------

    def write(self) -> Block:
        if not self.own:
            return self.declare()
        _, place, type = self.rng.choice(self.own)
        op = self.rng.choice(["=", "=", "+=", "^=", "*=", "-="])
        return Block(f"{place} {op} ({type})({self.value()});")

    def declare(self) -> Block:
        kind = self.rng.randrange(8)
        name = self.name("v")
        if kind == 0:
            length = self.rng.randrange(2, 6)
            text = f"uint {name}[{length}] = {{{', '.join(self.value(1) for _ in range(length))}}};"
            self.own += [(f"{name}[{i}]", f"{name}[{i}]", "uint") for i in range(length)]
            self.own.append((f"{name}[lid % {length}]", f"{name}[lid % {length}]", "uint"))
            return Block(text)
        if kind == 1:
            text = f"struct s{self.seed} {name} = {{{self.value(1)}, {{{self.value(1)}, 1u}}}};"
            self.own += [(f"{name}.{m}", f"{name}.{m}", "uint") for m in ("a", "b[0]", "b[1]")]
            return Block(text)
        if kind == 2 and any(place.isidentifier() and type == "uint" for _, place, type in self.own):
            target = self.rng.choice([place for _, place, type in self.own if place.isidentifier() and type == "uint"])
            self.own.append((f"*{name}", f"*{name}", "uint"))
            return Block(f"uint *{name} = &{target};")
        if kind == 3:
            text = f"global const int *{name} = in + ((lid + {self.value(1)}) & 31u);"
            self.own.append((f"(uint){name}[{self.rng.randrange(32)}]", "h", "ulong"))
            return Block(text)
        type = self.rng.choice(_TYPES)
        text = f"{type} {name} = ({type})({self.value()});"
        component = {"uint4": ".z", "ushort2": ".y", "uint3": ".x"}.get(type, "")
        element = type.rstrip("234") if component else type
        self.own.append((f"(uint){name}{component}", f"{name}{component}", element))
        if self.chance(20):  # declared first, given a value later
            text = f"{type} {name}; h += lid; {name} = {text.partition(' = ')[2]}"
        return Block(text)

    def of_item(self, depth: int) -> list[Block]:
        """Statements without a barrier, in control flow that differs."""
        made = []
        for _ in range(self.rng.randrange(1, 3)):
            kind = self.rng.randrange(7)
            outer = list(self.own)
            if kind == 0 and depth:
                made.append(Block(f"if ({self.condition()}) {{", self.nested(depth - 1), "}"))
            elif kind == 1 and depth:
                i = self.name("i")
                self.own.append((f"(uint){i}", "h", "ulong"))
                body = self.of_item(depth - 1)
                if self.chance(30):
                    body.append(Block(f"if ({self.condition()}) {self.rng.choice(['break', 'continue'])};"))
                start = self.rng.choice(["0", "lid & 1"])
                made.append(Block(f"for (int {i} = {start}; {i} < {self.rng.randrange(1, 5)}; {i}++) {{", body, "}"))
            elif kind == 2 and depth:
                condition, yes, no = self.condition(), self.nested(depth - 1), self.nested(0)
                made.append(Block(f"if ({condition}) {{", yes, "} else {"))
                made.append(Block("", no, "}"))
            elif kind == 3:
                made.append(Block(f"h = h * 31 + {self.value()};"))
            elif kind == 4:
                made.append(self.declare())
                continue
            else:
                made.append(self.write())
            self.own = outer
        return made

    def nested(self, depth: int) -> list[Block]:
        own = list(self.own)
        made = self.of_item(depth)
        self.own = own
        return made

    # -- what the group does -----------------------------------------------------------------------------------------

    def exchange(self) -> Block:
        """Items leave values in local memory, meet, and take those of others."""
        factor, shift = self.rng.choice([1, 3, 5, 7]), self.rng.randrange(GROUP)
        buffer = self.rng.choice(["shared_a", "shared_b"])
        text = f"{buffer}[(lid * {factor} + {shift}) & {GROUP - 1}] = {self.value()}; {_BARRIER} "
        got = f"{buffer}[(lid + {self.rng.choice(self.common)}) & {GROUP - 1}]"
        writable = [place for _, place, type in self.own if type in ("uint", "ulong")]
        text += f"{self.rng.choice(writable)} ^= {got};" if writable and self.chance(50) else f"h = h * 33 + {got};"
        return Block(f"{text} {_BARRIER}")

    def common_declare(self) -> Block:
        name = self.name("c")
        source = self.common_value()
        if self.chance(20):
            source = self.rng.choice([f"(uint)in[{self.common_value(1)} & 63u]", f"table[{self.common_value(1)} & 15u]"])
        self.common.append(name)
        return Block(f"uint {name} = {source};")

    def common_write(self) -> Block:
        names = [name for name in self.common if name.startswith("c") and name not in self.frozen]
        if not names:
            return self.common_declare()
        return Block(f"{self.rng.choice(names)} {self.rng.choice(['=', '+=', '^='])} {self.common_value()};")

    def call(self) -> Block:
        if not self.helpers or self.chance(20):
            self.helpers.append(self.helper())
        name = f"f{self.seed}_{self.rng.randrange(len(self.helpers))}"
        given = self.rng.choice([self.value(1), self.common_value(1)])
        return Block(self.rng.choice([f"h += {name}({given}, shared_a, lid);", f"h = h * 3 + {name}(1u + {name}({given}, shared_b, lid), shared_a, lid);"]))

    def helper(self) -> Block:
        own, common, self.own, self.common = self.own, self.common, [("x", "x", "uint")], ["2u"]
        number = len(self.helpers)
        body = [Block(f"shared[lid] = x; {_BARRIER}")]
        body.append(Block(f"for (int s = {GROUP // 2}; s > 0; s >>= 1) {{", [
            Block(f"if (lid < s) shared[lid] {self.rng.choice(['+=', '^='])} shared[lid + s]; {_BARRIER}")], "}"))
        body.append(Block(f"uint r = shared[{self.rng.choice(['0', 'lid'])}]; {_BARRIER}"))
        body.append(Block("return r * 3u + x;"))
        self.own, self.common = own, common
        return Block(f"uint f{self.seed}_{number}(uint x, local uint *shared, int lid) {{", body, "}")

    def of_group(self, depth: int) -> list[Block]:
        made: list[Block] = []
        for _ in range(self.rng.randrange(2, 6)):
            if self.budget <= 0:
                break
            self.budget -= 1
            made += self.group_statement(depth)
        return made

    def inside(self, depth: int) -> list[Block]:
        own, common = list(self.own), list(self.common)
        body = self.of_group(depth)
        self.own, self.common = own, common
        return body

    def group_statement(self, depth: int) -> list[Block]:
        kind = self.rng.randrange(14)
        if kind <= 2:
            return [self.exchange()]
        if kind == 3:
            return [self.common_declare()]
        if kind == 4:
            return [self.common_write()]
        if kind == 5:
            return [self.call()]
        if kind == 6 and depth:
            no = [Block("} else {", self.inside(depth - 1), "}")] if self.chance(40) else []
            return [Block(f"if ({self.common_condition()}) {{", self.inside(depth - 1), "" if no else "}"), *no]
        if kind in (7, 8) and depth:
            return self.loop(depth)
        if kind == 9 and depth:
            return [Block("{", self.inside(depth - 1), "}")]
        if kind == 10 and self.early_returns and self.chance(40):
            return [Block(f"if ({self.condition()}) {{ out[gid] = h; return; }}")]
        if kind == 11 and self.chance(15):
            return [Block(f"if ({self.common_condition()}) {{ out[gid] = h + 1; return; }}")]
        return self.of_item(2)

    def loop(self, depth: int) -> list[Block]:
        name, most = self.name("c"), self.rng.randrange(1, 5)
        form = self.rng.randrange(4)
        before, own = list(self.common), list(self.own)
        self.common.append(name)
        self.frozen.add(name)
        self.loops += 1
        body = self.of_group(depth - 1)
        if self.chance(30):
            body.insert(self.rng.randrange(len(body) + 1), Block(f"if ({self.loop_condition(before, name)}) {{ {_BARRIER} break; }}"))
        self.common, self.own = before, own
        self.loops -= 1
        if form == 0:
            return [Block(f"for (uint {name} = 0; {name} < {most}u; {name}++) {{", body, "}")]
        if form == 1:
            step = self.rng.choice([f"{name} <<= 1", f"{name} *= 2", f"{name} += {name}, h += {name}"])
            return [Block(f"for (uint {name} = 1; {name} <= {1 << most}u; {step}) {{", body, "}")]
        if form == 2:
            return [Block(f"uint {name} = {most}u;"), Block(f"while ({name}-- > 0u) {{", body, "}")]
        return [Block(f"uint {name} = 0;"), Block("do {", body, f"}} while (++{name} < {most}u);")]

    def loop_condition(self, before: list[str], name: str) -> str:
        return f"(({self.rng.choice(before)} + {name}) & 3u) == {self.rng.randrange(4)}u"

    def program(self) -> Program:
        name = f"k{self.seed}"
        start = [Block(line) for line in (
            "int gid = get_global_id(0), lid = get_local_id(0);", "uint n = get_global_size(0), group = get_group_id(0);", "ulong h = gid + 1;",
            f"local uint shared_a[{GROUP}];", f"local uint shared_b[{GROUP}];", f"shared_a[lid] = lid; shared_b[lid] = gid; {_BARRIER}",
        )]  # fmt: skip
        body = [*start, *self.of_group(3)]
        self.budget += 6
        body += self.of_group(2)
        end = [Block(f"h = h * 31 + {read};") for read, _, _ in self.own]
        head = f"kernel void {name}(global ulong *out, global const int *in, global const uint *table) {{"
        struct = Block(f"struct s{self.seed} {{ uint a; uint b[2]; }};")
        return Program(self.seed, name, [struct, *self.helpers, Block(head, [*body, *end, Block("out[gid] = h;")], "}")])


def program(seed: int, early_returns: bool = False) -> Program:
    return Kernel(seed, early_returns).program()

