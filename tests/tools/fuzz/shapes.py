"""Statements of random programs in the shapes that real programs were seen to stumble over: assignments that mix types, bool,
volatile objects of class type, pointers whose qualifiers a built-in loses, functions that nobody calls."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tools.fuzz.expressions import Expressions, Scope, Variable, binary, within
from tools.fuzz.value_types import INTEGERS, Struct, T

if TYPE_CHECKING:
    from tools.fuzz.generate import Block

# Blocks where the language has them, and elsewhere a statement expression that does the same; constants that are computed, or not.
PREAMBLE = """#ifdef BLOCKS
#define COMPUTED(expression, components) expression
#define APPLY(type, parameter, body, argument) (^(type parameter) { return body; }(argument))
#else
#define COMPUTED(expression, components) components
#define APPLY(type, parameter, body, argument) ({ type parameter = argument; body; })
#endif
"""


class Shapes:
    """What the generator mixes in; it has the names, the values and the scope."""

    rng: random.Random
    scope: Scope
    expressions: Expressions
    structs: list[Struct]

    def chance(self, percent: int) -> bool:
        raise NotImplementedError

    def name(self, lead: str) -> str:
        raise NotImplementedError

    def value(self, type: T, depth: int = 3) -> str:
        raise NotImplementedError

    def block(self, text: str) -> Block:
        from tools.fuzz.generate import Block

        return Block(text)

    def mixed_compound(self, depth: int) -> list[Block]:
        """A variable of one scalar type op= a value of another, small enough that nothing overflows."""
        element = self.rng.choice([*INTEGERS, *(["float", "double"] if self.scope.fp64 else ["float"])])
        type, name = T(element), self.name("v")
        made = [self.block(f"{type} {name} = {self.rng.randrange(60)};")]
        for _ in range(self.rng.randrange(1, 4)):
            self.expressions.budget = 15
            if type.is_float or self.chance(20):
                if not type.is_float and (not type.signed or type.size < 2):
                    continue
                if not type.is_float and self.chance(30):
                    value = f"fabs({self.expressions.held(self.expressions.float_type(), 1)[0]})"
                else:
                    masked = binary("&", self.expressions.integer(1)[:2], ("63", 16))
                    value = f"({self.rng.choice(INTEGERS)})({masked[0]})"
                made.append(self.block(f"{name} {self.rng.choice(['+=', '-='])} {value};"))
                continue
            op = self.rng.choice(["&=", "|=", "^=", "<<=", ">>=", "/=", "%=", "+=", "-=", "*="])
            masked = binary("&", self.expressions.integer(2)[:2], ("3", 16))
            value = f"({self.rng.choice(['bool', *INTEGERS])})({masked[0]})"
            value = f"{value} + 1" if op in ("/=", "%=") else value
            if op == "<<=" or type.size >= 4:  # of what is not negative and small
                made.append(self.block(f"{name} &= 63;"))
            made.append(self.block(f"{name} {op} {value};"))
        self.scope.variables.append(Variable(name, type))
        return made

    def boolean(self, depth: int) -> list[Block]:
        """bool: any number that is not 0 is true."""
        name, made = self.name("b"), self.name("v")
        lines = [f"{self.rng.choice(['', 'volatile '])}bool {name} = {self.value(T('int'), 2)};"]
        for _ in range(self.rng.randrange(1, 4)):
            op = self.rng.choice(["++", "--", "&=", "|=", "^=", "+=", "-=", ">>="])
            masked = binary("&", self.expressions.integer(1)[:2], ("7", 16))[0]
            step = self.rng.choice([f"{op}{name};", f"{name}{op};"])
            lines.append(step if op in ("++", "--") else f"{name} {op} {masked};")
        self.scope.variables.append(Variable(made, T("int")))
        return [self.block(line) for line in (*lines, f"int {made} = {name}{self.rng.choice(['++', '--', ''])};", f"{made} += 2 * {name};")]

    def volatile_struct(self, depth: int) -> list[Block]:
        """A volatile object copied from, and to, another."""
        same = [v for v in self.scope.variables if isinstance(v.type, Struct) and not v.length and not v.pointer and v.name[0] == "v"]
        if not same:
            return self.boolean(depth)
        source = self.rng.choice(same)
        name, pointer = self.name("v"), self.name("y")
        lines = [f"volatile {source.type} {name} = {source.name};"]
        if self.chance(50):
            lines += [f"volatile {source.type} *{pointer} = &{name};", f"*{pointer} = {source.name};"]
        if source.writable and self.chance(50):
            lines.append(f"{source.name} = {name};")
        self.scope.variables.append(Variable(name, source.type, volatile=True))
        return [self.block(line) for line in lines]

    def qualified_store(self, depth: int) -> list[Block]:
        """vstore through a pointer that is volatile or constant, which every compiler warns of."""
        arrays = [v for v in self.scope.variables if v.length == 8 and isinstance(v.type, T) and v.type.width == 1 and v.writable]
        if not arrays:
            return self.mixed_compound(depth)
        array = self.rng.choice(arrays)
        assert isinstance(array.type, T)
        width = self.rng.choice([2, 3, 4])
        word = self.rng.choice(["const", "volatile"])
        vector = self.value(T(array.type.element, width))
        return [self.block(f"vstore{width}({vector}, {self.rng.randrange(8 // width)}, ({word} {array.type} *){array.name});")]

    def applied(self, depth: int) -> list[Block]:
        """A block called at once; it may name all around it but arrays."""
        outer = self.scope.variables
        self.scope.variables = [v for v in outer if not v.length or v.pointer]
        parameter, made = T(self.rng.choice(INTEGERS), self.rng.choice([1, 1, 4])), self.name("v")
        argument, inner = self.value(parameter, 2), self.name("p")
        self.scope.variables.append(Variable(inner, parameter, writable=False))
        self.expressions.budget = 12
        result = T(self.rng.choice(INTEGERS), self.rng.choice([1, 2, 4]))
        body = within(self.expressions.exactly(result, 2) if result.width == 1 else self.expressions.vector(result, 2), 2)
        self.scope.variables = outer
        self.scope.variables.append(Variable(made, result))
        return [self.block(f"{result} {made} = APPLY({parameter}, {inner}, (({result})({body})), ({argument}));")]
