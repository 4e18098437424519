"""Random OpenCL C programs that are well defined: no overflow, no index out of range, no race, every value initialised.

A program is helper functions and a kernel of its own, all with names of its own, so that many share one translation unit. Each
work-item leaves a checksum of everything in scope in `out`. Equal seeds give equal programs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from tools.fuzz.expressions import Expressions, Function, Scope, Variable, binary, within
from tools.fuzz.shapes import Shapes
from tools.fuzz.value_types import INTEGERS, WIDTHS, Struct, T, components

GROUP = 8  # work-items of a group
ITEMS = 16
INPUT = 64  # elements of `in`
_TABLE = 16


@dataclass
class Block:
    """A statement: a line, or a head with statements and a tail. Minimising drops whole ones."""

    head: str
    body: list[Block] = field(default_factory=list)
    tail: str = ""

    def lines(self, depth: int = 0) -> Iterator[str]:
        yield "    " * depth + self.head
        for each in self.body:
            yield from each.lines(depth + 1)
        if self.tail:
            yield "    " * depth + self.tail


@dataclass
class Program:
    seed: int
    kernel: str
    blocks: list[Block]

    @property
    def source(self) -> str:
        return "\n".join(line for block in self.blocks for line in block.lines()) + "\n"


class Generator(Shapes):
    def __init__(self, seed: int, fp64: bool = True):
        self.rng = random.Random(seed)
        self.seed = seed
        self.scope = Scope(fp64=fp64)
        self.expressions = Expressions(self.rng, self.scope)
        self.structs: list[Struct] = []
        self.pointer_helpers: list[tuple[str, T, str]] = []
        self.struct_helpers: list[tuple[str, Struct]] = []
        self.count = 0

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def name(self, lead: str) -> str:
        self.count += 1
        return f"{lead}{self.count}"

    def any_type(self, vectors: int = 50) -> T:
        element = self.rng.choice(INTEGERS) if self.chance(80) else self.expressions.float_type().element
        return T(element, self.rng.choice(WIDTHS) if self.chance(vectors) else 1)

    def value(self, type: T, depth: int = 3) -> str:
        self.expressions.budget = 40
        return within(self.expressions.initial(type, depth), 2)

    # -- program scope -----------------------------------------------------------------------------------------------

    def program(self) -> Program:
        blocks = [Block(struct.definition()) for struct in self._structs()]
        blocks += [self._table() for _ in range(self.rng.randrange(3))]
        constants = list(self.scope.variables)
        for _ in range(self.rng.randrange(5)):
            make = self.rng.choice([self._helper, self._helper, self._pointer_helper, self._struct_helper, self._unreached])
            blocks.append(make())
            self.scope.variables = list(constants)
        kernel = f"k{self.seed}"
        blocks.append(self._kernel(kernel))
        return Program(self.seed, kernel, blocks)

    def _structs(self) -> list[Struct]:
        for _ in range(self.rng.randrange(3)):
            fields: list[tuple[str, T | Struct, int]] = []
            for number in range(self.rng.randrange(1, 5)):
                type: T | Struct = self.any_type(30)
                if self.structs and self.chance(20):
                    type = self.rng.choice(self.structs)
                fields.append((f"m{number}", type, self.rng.choice([0, 0, 0, 2, 4]) if isinstance(type, T) else 0))
            volatile = frozenset(name for name, _, _ in fields if self.chance(25))
            self.structs.append(Struct(self.name(f"s{self.seed}_"), tuple(fields), volatile, self.chance(10)))
        return self.structs

    def _table(self) -> Block:
        """An array in the constant address space."""
        type = T(self.rng.choice(INTEGERS), self.rng.choice([1, 1, 2, 4]))
        name = self.name(f"c{self.seed}_")
        numbers = [self._constant(type) if self.chance(60) else self._constant_expression(type) for _ in range(8)]
        self.scope.variables.append(Variable(name, type, 8, writable=False))
        return Block(f"constant {type} {name}[8] = {{{', '.join(numbers)}}};")

    def _constant(self, type: T) -> str:
        numbers = [str(self.rng.randrange(100)) for _ in range(type.width)]
        return numbers[0] if type.width == 1 else f"({type})({', '.join(numbers)})"

    def _constant_expression(self, type: T) -> str:
        """What initialises an object of the constant address space may be computed."""
        if type.width == 1:
            return self.rng.choice([f"({self._constant(type)} << 1) + {self.rng.randrange(9)}", f"~{self._constant(type)}", f"-({self._constant(type)})",
                                    f"({type})(sizeof({type}) * {self.rng.randrange(9)})", "'a' + 1"])  # fmt: skip
        halves = T(type.element, type.width // 2)
        parts = self._constant(halves) if halves.width > 1 else f"({halves})({self._constant(halves)})"
        return self.rng.choice([f"({type})({self.rng.randrange(60)})", f"({type})({parts}, {parts})", self._computed("-", type),
                                self._computed("~", type), f"({type})({parts}, {', '.join(['7'] * halves.width)})"])  # fmt: skip

    def _computed(self, operator: str, type: T) -> str:
        """An operator on a vector, and what it gives component by component: NVIDIA's compiler takes the second alone for a constant."""
        vector = self._constant(type)
        numbers = vector.partition(")(")[2].rstrip(")").split(", ")
        return f"COMPUTED({operator}{vector}, ({type})({', '.join(f'({type.element})({operator}{number})' for number in numbers)}))"

    def _helper(self) -> Block:
        result = self.any_type()
        types = [self.any_type(40) for _ in range(self.rng.randrange(1, 4))]
        name = self.name(f"f{self.seed}_")
        names = [self.name("p") for _ in types]
        self.scope.variables += [Variable(n, t) for n, t in zip(names, types, strict=True)]
        body = self.statements(self.rng.randrange(1, 4), 1)
        if self.chance(25):
            body.append(Block(f"if ({self.value(T('int'), 2)}) {{", [Block(f"return {self.value(result)};")], "}"))
        body.append(Block(f"return {self.value(result)};"))
        head = f"{self.rng.choice(['', 'static ', 'inline ']) if self.chance(20) else ''}{result} {name}"
        self.scope.functions.append(Function(name, result, types))
        if head.startswith("inline"):
            head = "static " + head
        return Block(f"{head}({', '.join(f'{t} {n}' for t, n in zip(types, names, strict=True))}) {{", body, "}")

    def _unreached(self) -> Block:
        """A function that nobody calls."""
        block = self._helper()
        self.scope.functions.pop()
        return block

    def _pointer_helper(self) -> Block:
        """A function that reads and changes four elements of an array in one address space."""
        type, space = self.any_type(), self.rng.choice(["private", "local"])
        name, pointer, value = self.name(f"g{self.seed}_"), self.name("q"), self.name("p")
        self.scope.variables += [Variable(pointer, type, 4, pointer=True), Variable(value, type)]
        body = self.statements(self.rng.randrange(1, 4), 1)
        self.pointer_helpers.append((name, type, space))
        lead = "" if space == "private" else f"{space} "
        return Block(f"void {name}({lead}{type} *{pointer}, {type} {value}) {{", body, "}")

    def _struct_helper(self) -> Block:
        """A function from structs, by value and by pointer, to a struct."""
        if not self.structs:
            return self._helper()
        struct = self.rng.choice(self.structs)
        name, pointer, value = self.name(f"t{self.seed}_"), self.name("q"), self.name("p")
        self.scope.variables += [Variable(pointer, struct, pointer=True, writable=False), Variable(value, struct)]
        body = self.statements(self.rng.randrange(1, 4), 1)
        self.struct_helpers.append((name, struct))
        return Block(f"{struct} {name}(const {struct} *{pointer}, {struct} {value}) {{", [*body, Block(f"return {value};")], "}")

    def _kernel(self, name: str) -> Block:
        body = [Block(line) for line in (
            "int gid = get_global_id(0), lid = get_local_id(0);", "ulong h = 1469598103934665603ul;")]  # fmt: skip
        variables = self.scope.variables
        variables += [Variable("gid", T("int"), writable=False), Variable("lid", T("int"), writable=False),
                      Variable("in", T("int"), INPUT, pointer=True, writable=False),
                      Variable("table", T("uint"), _TABLE, pointer=True, writable=False)]  # fmt: skip
        for _ in range(self.rng.randrange(2, 5)):
            body += self.statements(self.rng.randrange(1, 5), 2, declare=True)
            if self.chance(40):
                body += self._exchange()
        body += self._checksum()
        body.append(Block("out[gid] = h;"))
        return Block(f"kernel void {name}(global ulong *out, global const int *in, constant uint *table) {{", body, "}")

    # -- local memory ------------------------------------------------------------------------------------------------

    def _exchange(self) -> list[Block]:
        """Each work-item writes its place of a local array, and after a barrier reads any."""
        spaces = [type for _, type, space in self.pointer_helpers if space == "local"]
        type = self.rng.choice(spaces) if spaces and self.chance(70) else self.any_type()
        array, made, pointer = self.name("l"), self.name("v"), self.name("q")
        index = self.expressions.index(GROUP, 2)
        found = [
            Block(f"local {type} {array}[{GROUP}];"),
            Block(f"{array}[lid] = {self.value(type)};"),
            Block("barrier(CLK_LOCAL_MEM_FENCE);"),
        ]
        for helper, helped, space in self.pointer_helpers:
            if space == "local" and helped == type:
                # The first work-item of the group changes what all have written.
                found.append(Block("if (lid == 0) {", [Block(f"{helper}({array} + {self.rng.choice([0, GROUP - 4])}, {array}[1]);")], "}"))
                found.append(Block("barrier(CLK_LOCAL_MEM_FENCE);"))
        if self.chance(40):
            found.append(Block(f"const local {type} *{pointer} = {array} + {self.rng.randrange(GROUP // 2)};"))
            found.append(Block(f"{type} {made} = {pointer}[{self.expressions.index(GROUP // 2, 2)}];"))
        else:
            found.append(Block(f"{type} {made} = {array}[(lid + ({index})) & {GROUP - 1}];"))
        self.scope.variables.append(Variable(made, type))
        found.append(Block("barrier(CLK_LOCAL_MEM_FENCE);"))
        return found

    # -- the checksum ------------------------------------------------------------------------------------------------

    def _checksum(self) -> list[Block]:
        return [Block(line) for v in self.scope.variables if v.name[0] in "vgl"
                for line in self._folded(f"(*{v.name})" if v.pointer and not v.length else v.name, v.type, v.length)]  # fmt: skip

    def _folded(self, name: str, type: T | Struct, length: int) -> Iterator[str]:
        if length:
            for i in range(length):
                yield from self._folded(f"{name}[{i}]", type, 0)
        elif isinstance(type, Struct):
            for field_name, field_type, field_length in type.fields:
                yield from self._folded(f"{name}.{field_name}", field_type, field_length)
        elif type.width > 1:
            for component in components(type.width):
                yield from self._folded(f"{name}.{component}", T(type.element), 0)
        else:
            yield f"h = (h ^ (ulong){'(long)' if type.is_float else ''}{name}) * 1099511628211ul;"

    # -- statements --------------------------------------------------------------------------------------------------

    def statements(self, count: int, depth: int, declare: bool = False) -> list[Block]:
        """`declare` leaves what is declared in scope."""
        before = len(self.scope.variables)
        made: list[Block] = []
        for _ in range(count):
            made += self._statement(depth)
        if not declare:
            del self.scope.variables[before:]
        return made

    def _statement(self, depth: int) -> list[Block]:
        simple = [self._declaration, self._assignment, self._assignment, self._compound, self._step, self._aggregate, self._pointer,
                  self._store, self._call, self._union, self._chain, self.mixed_compound, self.boolean, self.volatile_struct,
                  self.qualified_store, self.applied]  # fmt: skip
        nested = [self._if, self._for, self._while, self._do, self._switch, self._goto, self._block]
        make = self.rng.choice(nested) if depth > 0 and self.chance(35) else self.rng.choice(simple)
        return make(depth - 1)

    def _declaration(self, depth: int) -> list[Block]:
        type = self.any_type()
        name = self.name("v")
        qualifier = self.rng.choice(["const ", "volatile "]) if self.chance(12) else ""
        if self.chance(25):
            length = self.rng.choice([2, 4, 8])
            values = [self.value(type, 2) for _ in range(length)]
            volatile = "volatile " if self.chance(10) else ""
            text = f"{volatile}{type} {name}[{length if self.chance(70) else ''}] = {{{', '.join(values)}}};"
            self.scope.variables.append(Variable(name, type, length, volatile=bool(volatile)))
            return [Block(text)]
        text = f"{qualifier}{type} {name} = {self.value(type)};"
        self.scope.variables.append(Variable(name, type, writable=qualifier != "const ", volatile=qualifier == "volatile "))
        return [Block(text)]

    def _aggregate(self, depth: int) -> list[Block]:
        """A struct: declared, copied, or copied whole."""
        if not self.structs:
            return self._declaration(depth)
        struct = self.rng.choice(self.structs)
        same = [v for v in self.scope.variables if v.type == struct and not v.length and not v.pointer]
        name = self.name("v")
        if same and self.chance(40):
            source = self.rng.choice(same)
            if len(same) > 1 and self.chance(50):
                return [Block(f"{self.rng.choice(same).name} = {source.name};")]
            text = f"{struct} {name} = {source.name};"
        elif self.chance(50):
            text = f"{struct} {name} = {self._designated(struct)};"
        else:
            text = f"{struct} {name} = {self._braced(struct)};"
        self.scope.variables.append(Variable(name, struct))
        return [Block(text)]

    def _braced(self, struct: Struct) -> str:
        return "{" + ", ".join(self._member(type, length) for _, type, length in struct.fields) + "}"

    def _member(self, type: T | Struct, length: int) -> str:
        if length:
            return "{" + ", ".join(self._member(type, 0) for _ in range(length)) + "}"
        return self._braced(type) if isinstance(type, Struct) else self.value(type, 2)

    def _designated(self, struct: Struct) -> str:
        """Some members by their names, the others zero."""
        chosen = [f for f in struct.fields if self.chance(60)] or [struct.fields[0]]
        return "{" + ", ".join(f".{name} = {self._member(type, length)}" for name, type, length in chosen) + "}"

    def _pointer(self, depth: int) -> list[Block]:
        """A pointer to a variable, to an array's elements, or into the input."""
        name = self.name("q")
        candidates = [v for v in self.scope.variables if not v.pointer and v.name[0] == "v" and v.writable and not v.volatile]
        if not candidates or self.chance(20):
            if not any(v.name == "in" for v in self.scope.variables):
                return self._declaration(depth)
            self.scope.variables.append(Variable(name, T("int"), 8, pointer=True, writable=False))
            return [Block(f"global const int *{name} = in + {self.rng.randrange(INPUT - 8)};")]
        target = self.rng.choice(candidates)
        if target.length:
            at = self.rng.choice([0, target.length // 2])
            length = target.length - at if at else target.length
            text = f"{target.type} *{name} = {self.rng.choice([f'{target.name} + {at}', f'&{target.name}[{at}]'])};"
            self.scope.variables.append(Variable(name, target.type, length, pointer=True))
        else:
            text = f"{target.type} *{name} = &{target.name};"
            self.scope.variables.append(Variable(name, target.type, pointer=True))
        return [Block(text)]

    def _call(self, depth: int) -> list[Block]:
        """A helper called for what it does to an array, or with structs."""
        calls: list[str] = []
        for name, type, space in self.pointer_helpers:
            calls += [f"{name}({v.name}{self.rng.choice(['', ' + 0'])}, {{}});" for v in self.scope.variables
                      if v.type == type and v.length in (4, 8) and v.writable and not v.pointer and not v.volatile and v.name[0] == "v" and space == "private"]  # fmt: skip
            if calls:
                return [Block(self.rng.choice(calls).format(self.value(type)))]
        for name, struct in self.struct_helpers:
            same = [v.name for v in self.scope.variables if v.type == struct and not v.length and not v.pointer and not v.volatile]
            if same:
                made = self.name("v")
                text = f"{struct} {made} = {name}(&{self.rng.choice(same)}, {self.rng.choice(same)});"
                self.scope.variables.append(Variable(made, struct))
                return [Block(text)]
        return self._aggregate(depth)

    def _union(self, depth: int) -> list[Block]:
        """One object seen as another type of the same size."""
        first = T(self.rng.choice(INTEGERS), self.rng.choice([1, 2, 4, 8]))
        others = [T(e, w) for e in INTEGERS for w in (1, 2, 4, 8, 16) if T(e, w).bytes == first.bytes and T(e, w) != first]
        second, name, made = self.rng.choice(others), self.name("u"), self.name("v")
        text = f"union {{ {first} a; {second} b; }} {name} = {{{self.value(first)}}};"
        self.scope.variables.append(Variable(made, second))
        return [Block(text), Block(f"{second} {made} = {name}.b;")]

    def _chain(self, depth: int) -> list[Block]:
        """a = b = value"""
        found = self.expressions.places(lambda t: not t.is_float, writable=True)
        if not found:
            return self._declaration(depth)
        a, _, type = self.rng.choice(found)
        alike = [text for text, _, other in found if other == type]
        return [Block(f"{a} = {self.rng.choice(alike)} = {self.value(type)};")]

    def _assignment(self, depth: int) -> list[Block]:
        found = self.expressions.places(lambda t: True, writable=True, depth=2)
        if not found:
            return self._declaration(depth)
        text, level, type = self.rng.choice(found)
        if type.width > 1 and self.chance(40):
            width = self.rng.choice([w for w in (1, *WIDTHS) if w <= type.width])
            name = self.expressions.swizzle(type.width, width, True) if width > 1 else self.rng.choice(components(type.width))
            if width == 1:
                return [Block(f"{within((text, level), 15)}.{name} = {self.value(T(type.element))};")]
            return [Block(f"{within((text, level), 15)}.{name} = {self.value(T(type.element, width))};")]
        return [Block(f"{text} = {self.value(type)};")]

    def _compound(self, depth: int) -> list[Block]:
        """target op= value, where no signed int or long can overflow."""
        found = self.expressions.places(lambda t: not t.is_float, writable=True, depth=2)
        if not found:
            return self._declaration(depth)
        text, level, type = self.rng.choice(found)
        narrow = type.width == 1 and type.size < 4
        ops = ["&=", "|=", "^=", "<<=", ">>=", "/=", "%="] + ["+=", "-="] * (2 * (not type.signed or narrow)) + ["*="] * (not type.signed and not narrow)
        op = self.rng.choice(ops)
        self.expressions.budget = 30
        if type.width > 1 and self.chance(30) and op != "/=" and op != "%=":
            width = self.rng.choice([w for w in WIDTHS if w <= type.width])
            name = self.expressions.swizzle(type.width, width, True)
            return [Block(f"{within((text, level), 15)}.{name} {op} {self.value(T(type.element, width), 2)};")]
        if op in ("/=", "%="):
            return [Block(f"{text} {op} ({T(type.element)}){self.rng.randrange(1, 20)};")]
        if type.width > 1:
            return [Block(f"{text} {op} {within(self.expressions.operand(type, 2), 2)};")]
        if op in ("+=", "-=", "*="):
            return [Block(f"{text} {op} {within(self.expressions.exactly(type, 2), 2)};")]
        return [Block(f"{text} {op} {within(self.expressions.integer(2)[:2], 2)};")]

    def _step(self, depth: int) -> list[Block]:
        found = self.expressions.places(lambda t: not t.is_float and (not t.signed or (t.size < 4 and t.width == 1)), writable=True, depth=1)
        if not found:
            return self._declaration(depth)
        text, level, _ = self.rng.choice(found)
        op = self.rng.choice(["++", "--"])
        return [Block(f"{op}{within((text, level), 14)};" if self.chance(50) else f"{within((text, level), 15)}{op};")]

    def _store(self, depth: int) -> list[Block]:
        """vstore and vload on an array."""
        arrays = [v for v in self.scope.variables if v.length == 8 and isinstance(v.type, T) and v.type.width == 1 and v.writable and not v.volatile]
        if not arrays:
            return self._declaration(depth)
        array = self.rng.choice(arrays)
        assert isinstance(array.type, T)
        width = self.rng.choice([2, 3, 4])
        vector = T(array.type.element, width)
        if self.chance(50):
            return [Block(f"vstore{width}({self.value(vector)}, {self.rng.randrange(8 // width)}, {array.name});")]
        name = self.name("v")
        self.scope.variables.append(Variable(name, vector))
        return [Block(f"{vector} {name} = vload{width}({self.rng.randrange(8 // width)}, {array.name});")]

    # -- control flow ------------------------------------------------------------------------------------------------

    def _body(self, depth: int, most: int = 3) -> list[Block]:
        return self.statements(self.rng.randrange(1, most + 1), depth)

    def _condition(self) -> str:
        self.expressions.budget = 20
        return within(self.expressions.integer(2)[:2], 1)

    def _if(self, depth: int) -> list[Block]:
        made = Block(f"if ({self._condition()}) {{", self._body(depth), "}")
        if self.chance(40):
            return [made, Block("else {", self._body(depth), "}")]
        return [made]

    def _looped(self, depth: int) -> list[Block]:
        body = self._body(depth)
        if self.chance(30):
            word = self.rng.choice(["break", "continue"])
            body.insert(self.rng.randrange(len(body) + 1), Block(f"if ({self._condition()}) {word};"))
        return body

    def _for(self, depth: int) -> list[Block]:
        name = self.name("i")
        count = self.rng.randrange(1, 5)
        type = self.rng.choice(["int", "uint", "uchar", "long", "short"])
        self.scope.variables.append(Variable(name, T(type), writable=False))
        unroll = f"#pragma unroll{self.rng.choice(['', ' 2'])}\n" if self.chance(10) else ""
        heads = [f"for ({type} {name} = 0; {name} < {count}; {name}++) {{", f"for ({type} {name} = {count}; {name} > 0; --{name}) {{",
                 f"for ({type} {name} = 0; {name} != {2 * count}; {name} += 2) {{"]  # fmt: skip
        made = Block(unroll + self.rng.choice(heads), self._looped(depth), "}")
        self.scope.variables.pop()
        return [made]

    def _while(self, depth: int) -> list[Block]:
        name = self.name("n")
        self.scope.variables.append(Variable(name, T("int"), writable=False))
        made = Block(f"while ({name}-- > 0) {{", self._looped(depth), "}")
        self.scope.variables.pop()
        return [Block("{", [Block(f"int {name} = {self.rng.randrange(1, 5)};"), made], "}")]

    def _do(self, depth: int) -> list[Block]:
        name = self.name("n")
        self.scope.variables.append(Variable(name, T("uint"), writable=False))
        made = Block("do {", self._looped(depth), f"}} while (--{name});")
        self.scope.variables.pop()
        return [Block("{", [Block(f"uint {name} = {self.rng.randrange(1, 5)};"), made], "}")]

    def _switch(self, depth: int) -> list[Block]:
        self.expressions.budget = 20
        value = binary("&", self.expressions.integer(2)[:2], ("3", 16))[0]
        body: list[Block] = []
        for label in self.rng.sample(["case 0:", "case 1:", "case 1 + 1:", "case 'a' - 94:", "default:"], self.rng.randrange(1, 6)):
            inner = self._body(depth, 2)
            if self.chance(60):
                inner.append(Block("break;"))
            body.append(Block(label + " {", inner, "}"))
        return [Block(f"switch ({value}) {{", body, "}")]

    def _goto(self, depth: int) -> list[Block]:
        label = self.name("done")
        return [Block("{", [Block(f"if ({self._condition()}) goto {label};"), Block("{", self._body(depth), "}"), Block(f"{label}:;")], "}")]

    def _block(self, depth: int) -> list[Block]:
        return [Block("{", self._body(depth), "}")]


def program(seed: int, fp64: bool = True) -> Program:
    return Generator(seed, fp64).program()
