"""Random expressions with a defined value: unsigned wrapping, guarded divisions, indices in range, floats that are exact.

An expression comes as text with its precedence, so that parentheses stand only where they must (and sometimes where they need
not). Integer scalars have the type that C gives them; everything else is made for the type that is asked for.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tools.fuzz.value_types import FLOATS, INT, INTEGERS, LONG, UINT, ULONG, WIDTHS, Struct, T, components, promoted, usual

COMMA, ASSIGN, TERNARY, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUAL, LESS, SHIFT, SUM, PRODUCT, UNARY, POSTFIX, PRIMARY = range(1, 17)
_LEVELS = {"||": OR, "&&": AND, "|": BIT_OR, "^": BIT_XOR, "&": BIT_AND, "==": EQUAL, "!=": EQUAL, "<": LESS, ">": LESS, "<=": LESS,
           ">=": LESS, "<<": SHIFT, ">>": SHIFT, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "%": PRODUCT}  # fmt: skip
_EXACT = 1 << 22  # floats are integers of at most this size
_HELD = 999  # and at most this in variables

Text = tuple[str, int]  # and the precedence of its outermost operator
Typed = tuple[str, int, T]


@dataclass
class Variable:
    """length: elements of an array, or of what a pointer points to; 0 for one object."""

    name: str
    type: T | Struct
    length: int = 0
    pointer: bool = False
    writable: bool = True
    volatile: bool = False


@dataclass
class Function:
    name: str
    result: T
    parameters: list[T]


@dataclass
class Scope:
    variables: list[Variable] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    fp64: bool = True


def binary(op: str, left: Text, right: Text) -> Text:
    level = _LEVELS[op]
    a = left[0] if left[1] >= level else f"({left[0]})"
    b = right[0] if right[1] > level else f"({right[0]})"
    return f"{a} {op} {b}", level


def within(text: Text, level: int) -> str:
    return text[0] if text[1] >= level else f"({text[0]})"


def call(name: str, *arguments: Text) -> Text:
    return f"{name}({', '.join(within(a, ASSIGN) for a in arguments)})", POSTFIX


def cast(type: object, operand: Text) -> Text:
    return f"({type}){within(operand, UNARY)}", UNARY


class Expressions:
    def __init__(self, rng: random.Random, scope: Scope):
        self.rng, self.scope = rng, scope
        self.statements = 0
        self.budget = 0  # operators that the statement may still get

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    # -- places ------------------------------------------------------------------------------------------------------

    def places(self, wanted: Callable[[T], bool], writable: bool = False, depth: int = 0) -> list[Typed]:
        """Every variable, member and element in scope of a type that is wanted."""
        found: list[Typed] = []
        for v in self.scope.variables:
            if not writable or v.writable:
                self._reach(found, v.name, POSTFIX, v.type, v.length, v.pointer, wanted, depth)
        return found

    def _reach(self, found: list[Typed], name: str, level: int, type: T | Struct, length: int, pointer: bool,
               wanted: Callable[[T], bool], depth: int) -> None:  # fmt: skip
        if length:
            name, level, pointer = f"{name}[{self.index(length, depth)}]", POSTFIX, False
        if isinstance(type, Struct):
            lead = f"{name}->" if pointer and self.chance(70) else f"(*{name})." if pointer else f"{name}."
            for field_name, field_type, field_length in type.fields:
                self._reach(found, lead + field_name, POSTFIX, field_type, field_length, False, wanted, depth)
            return
        if pointer:
            name, level = (f"*{name}", UNARY) if self.chance(70) else (f"{name}[0]", POSTFIX)
        if wanted(type):
            found.append((name, level, type))
        base = name if level == POSTFIX else f"({name})"
        if type.width > 1 and wanted(T(type.element)):
            found.append((f"{base}.{self.rng.choice(components(type.width))}", POSTFIX, T(type.element)))

    def place(self, type: T, writable: bool = False, depth: int = 0) -> Text | None:
        found = self.places(lambda t: t == type, writable, depth)
        if not found:
            return None
        text, level, _ = self.rng.choice(found)
        return text, level

    def index(self, length: int, depth: int) -> str:
        """An index below `length`, a power of two."""
        if depth <= 0 or self.chance(40):
            return str(self.rng.randrange(length))
        text, level, _ = self.integer(depth - 2)
        masked = binary("&", (text, level), (str(length - 1), PRIMARY))[0]
        return f"({{ int z = {masked}; z; }})" if self.chance(15) else masked

    def swizzle(self, width: int, count: int, distinct: bool) -> str | None:
        """The name of `count` components of a vector of that width."""
        if not distinct and self.chance(15) and width in (4, 8, 16) and count == width // 2:
            return self.rng.choice(["lo", "hi", "even", "odd"])
        if distinct and count > width:
            return None
        chosen = self.rng.sample(range(width), count) if distinct else [self.rng.randrange(width) for _ in range(count)]
        if width <= 4 and count <= 4 and self.chance(70):
            return "".join("xyzw"[i] for i in chosen)
        digits = "".join(f"{i:x}" for i in chosen)
        return self.rng.choice("sS") + (digits.upper() if self.chance(20) else digits)

    # -- integer scalars ---------------------------------------------------------------------------------------------

    def integer(self, depth: int) -> Typed:
        """An integer expression of whatever type C gives it."""
        self.budget -= 1
        if depth <= 0 or self.budget <= 0 or self.chance(15):
            return self._leaf()
        pick = self.rng.choices(
            [self._arithmetic, self._bitwise, self._shift, self._division, self._comparison, self._logic, self._unary, self._ternary,
             self._cast, self._function, self._builtin, self._from_vector, self._from_float, self._comma, self._leaf_typed,
             self._statement],
            [20, 14, 8, 8, 8, 5, 8, 8, 8, 7, 16, 8, 5, 2, 6, 3])[0]  # fmt: skip
        text, level, type = pick(depth - 1)
        return (f"({text})", PRIMARY, type) if self.chance(5) else (text, level, type)

    def _leaf(self) -> Typed:
        found = self.places(lambda t: t.width == 1 and not t.is_float)
        if found and self.chance(80):
            return self.rng.choice(found)
        return self.literal()

    def _leaf_typed(self, depth: int) -> Typed:
        found = self.places(lambda t: t.width == 1 and not t.is_float, depth=depth if self.chance(25) else 0)
        return self.rng.choice(found) if found else self.literal()

    def literal(self) -> Typed:
        choice = self.rng.randrange(10)
        if choice < 5:
            return str(self.rng.randrange(0, 40)), PRIMARY, INT
        if choice == 5:
            return f"{self.rng.choice([0, 1, 255, 65535, 0x7fffffff, 0xffffffff, 12345678])}u", PRIMARY, UINT
        if choice == 6:
            return f"{self.rng.choice([3, 0x7fffffffffffffff, 1 << 40, 99999999999])}{self.rng.choice('lL')}", PRIMARY, LONG
        if choice == 7:
            return f"{hex(self.rng.getrandbits(self.rng.choice([5, 33, 64])))}{self.rng.choice(['ul', 'UL', 'uL'])}", PRIMARY, ULONG
        if choice == 8:
            return f"'{self.rng.choice('aZ0 ~')}'", PRIMARY, INT
        return self.rng.choice([("0x7fffffff", PRIMARY, INT), ("0xF0F0F0F0", PRIMARY, UINT), ("017", PRIMARY, INT),
                                ("2147483647", PRIMARY, INT), ("(-2147483647 - 1)", PRIMARY, INT), ("-2147483648", UNARY, LONG),
                                ("2147483648", PRIMARY, LONG), ("4294967295", PRIMARY, LONG), ("0x80000000", PRIMARY, UINT),
                                ("037777777777", PRIMARY, UINT), ("9223372036854775807", PRIMARY, LONG), ("'\\377'", PRIMARY, INT),
                                ("0x8000000000000000", PRIMARY, ULONG), ("18446744073709551615u", PRIMARY, ULONG),
                                ("-1", UNARY, INT), ("-32768", UNARY, INT), ("sizeof(int3)", PRIMARY, ULONG)])  # fmt: skip

    def _arithmetic(self, depth: int) -> Typed:
        """+ - *, made unsigned wherever a signed result could overflow."""
        op = self.rng.choice("+-*")
        a, la, ta = self.integer(depth)
        b, lb, tb = self.integer(depth)
        type = usual(ta, tb)
        if type.signed and not (ta.size < 4 and tb.size < 4 and (op != "*" or min(ta.size, tb.size) == 1)):
            type = type.as_unsigned()
            a, la = cast(type, (a, la))
        return *binary(op, (a, la), (b, lb)), type

    def _bitwise(self, depth: int) -> Typed:
        a, b = self.integer(depth), self.integer(depth)
        return *binary(self.rng.choice("&|^"), a[:2], b[:2]), usual(a[2], b[2])

    def _shift(self, depth: int) -> Typed:
        a, b = self.integer(depth), self.integer(depth)
        return *binary(self.rng.choice(["<<", ">>"]), a[:2], b[:2]), promoted(a[2])

    def _division(self, depth: int) -> Typed:
        a, b = self.integer(depth), self.integer(depth)
        if self.chance(50):
            divisor: Text = (str(self.rng.randrange(1, 20)), PRIMARY)
            type = INT
        else:
            divisor = binary("+", binary("&", b[:2], ("15", PRIMARY)), ("1", PRIMARY))
            type = usual(b[2], INT)
        return *binary(self.rng.choice("/%"), a[:2], divisor), usual(a[2], type)

    def _comparison(self, depth: int) -> Typed:
        op = self.rng.choice(["==", "!=", "<", ">", "<=", ">="])
        if self.chance(20):
            type = self.float_type()
            return *binary(op, self.floating(type, depth), self.floating(type, depth)), INT
        return *binary(op, self.integer(depth)[:2], self.integer(depth)[:2]), INT

    def _logic(self, depth: int) -> Typed:
        return *binary(self.rng.choice(["&&", "||"]), self.integer(depth)[:2], self.integer(depth)[:2]), INT

    def _unary(self, depth: int) -> Typed:
        text, level, type = self.integer(depth)
        op = self.rng.choice("-~!+")
        if op == "-" and promoted(type).signed and type.size >= 4:
            type = type.as_unsigned()
            text, level = cast(type, (text, level))
        inner = within((text, level), UNARY)
        return f"{op}{' ' if inner[0] == op else ''}{inner}", UNARY, INT if op == "!" else promoted(type)

    def _ternary(self, depth: int) -> Typed:
        condition, a, b = self.integer(depth), self.integer(depth), self.integer(depth)
        text = f"{within(condition[:2], OR)} ? {within(a[:2], TERNARY)} : {within(b[:2], TERNARY)}"
        return text, TERNARY, usual(a[2], b[2])

    def _cast(self, depth: int) -> Typed:
        type = T(self.rng.choice(INTEGERS))
        return *self.exactly(type, depth), type

    def exactly(self, type: T, depth: int) -> Text:
        """An integer expression of just this type."""
        text, level, own = self.integer(depth)
        if own == type:
            return text, level
        if self.chance(70):
            return cast(type, (text, level))
        return call(f"convert_{type}{self.rng.choice(['', '_sat'])}", (text, level))

    def _comma(self, depth: int) -> Typed:
        a, b = self.integer(depth), self.integer(depth)
        return f"({within(a[:2], ASSIGN)}, {within(b[:2], ASSIGN)})", PRIMARY, b[2]

    def _statement(self, depth: int) -> Typed:
        """A statement expression."""
        a, b = self.integer(depth), self.integer(depth)
        self.statements += 1
        name = f"z{self.statements}"
        return f"({{ {a[2]} {name} = {within(a[:2], ASSIGN)}; {name} ^ {within(b[:2], BIT_AND)}; }})", PRIMARY, usual(a[2], b[2])

    def _function(self, depth: int) -> Typed:
        functions = [f for f in self.scope.functions if f.result.width == 1 and not f.result.is_float]
        if not functions:
            return self._leaf()
        function = self.rng.choice(functions)
        return *self.user_call(function, depth), function.result

    def user_call(self, function: Function, depth: int) -> Text:
        return call(function.name, *(self.initial(type, depth) for type in function.parameters))

    def initial(self, type: T, depth: int) -> Text:
        """An expression that may be assigned to the type."""
        if type.is_float:
            return self.held(type, depth)
        if type.width == 1:
            return self.integer(depth)[:2]
        return self.vector(type, depth)

    def _builtin(self, depth: int) -> Typed:
        type = T(self.rng.choice(INTEGERS))
        text, result = self.integer_builtin(type, depth)
        return *text, result

    def integer_builtin(self, type: T, depth: int) -> tuple[Text, T]:
        """A function of section 6.15.3 on integers, scalar or vector, and its result's type."""
        def value(t: T = type) -> Text:
            return self.exactly(t, depth) if t.width == 1 else self.vector(t, depth)

        def narrowed(bits: int) -> Text:
            mask = (str((1 << bits) - 1), PRIMARY)
            return ("(" + binary("&", value(), mask)[0] + ")", PRIMARY)

        name = self.rng.choice(["min", "max", "clamp", "abs", "abs_diff", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "mad_hi", "mad_sat",
                                "rotate", "popcount", "clz", "bitselect", "mul24", "mad24", "upsample"])  # fmt: skip
        match name:
            case "abs":
                return call(name, value()), type.as_unsigned()
            case "abs_diff":
                return call(name, value(), value()), type.as_unsigned()
            case "popcount" | "clz":
                return call(name, value()), type
            case "clamp":
                low = self.rng.randrange(0, 50)
                return call(name, value(), *(cast(T(type.element), (str(n), PRIMARY)) for n in (low, low + self.rng.randrange(60)))), type
            case "mad_hi" | "mad_sat" | "bitselect":
                return call(name, value(), value(), value()), type
            case "mul24" | "mad24" if type.element in ("int", "uint"):
                return call(name, narrowed(12), narrowed(11), *([narrowed(20)] if name == "mad24" else [])), type
            case "upsample" if type.size > 1:
                half = type.of({2: "char", 4: "short", 8: "int"}[type.size])
                return call(name, value(half if type.signed else half.as_unsigned()), value(half.as_unsigned())), type
        name = name if name in ("min", "max", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate") else "max"
        return call(name, value(), value()), type

    def _from_vector(self, depth: int) -> Typed:
        type = T(self.rng.choice(INTEGERS), self.rng.choice(WIDTHS))
        if self.chance(25):
            return *call(self.rng.choice(["any", "all"]), self.vector(type.as_signed(), depth)), INT
        return f"{within(self.vector(type, depth), POSTFIX)}.{self.rng.choice(components(type.width))}", POSTFIX, T(type.element)

    def _from_float(self, depth: int) -> Typed:
        source = self.floating(self.float_type(), depth)
        if self.chance(50):
            type = T(self.rng.choice(INTEGERS))
            return *call(f"convert_{type}_sat{self.rng.choice(['', '_rte', '_rtz'])}", source), type
        type = self.rng.choice([INT, LONG])
        return *cast(type, source), type

    # -- floats: integers that are small enough to be exact ----------------------------------------------------------

    def float_type(self, width: int = 1) -> T:
        return T(self.rng.choice(FLOATS if self.scope.fp64 else FLOATS[:1]), width)

    def floating(self, type: T, depth: int) -> Text:
        return self._floating(type, depth)[0]

    def held(self, type: T, depth: int) -> Text:
        """A float for a variable: of at most _HELD."""
        text, bound = self._floating(type, depth)
        return text if bound <= _HELD else self._folded(type, text)

    def _folded(self, type: T, text: Text) -> Text:
        if type.width == 1:
            return cast(type, ("(" + binary("%", cast(INT, text), ("1000", PRIMARY))[0] + ")", PRIMARY))
        return call(f"convert_{type}", binary("%", call(f"convert_int{type.width}", text), ("1000", PRIMARY)))

    def _floating(self, type: T, depth: int) -> tuple[Text, int]:
        """Text, and a bound of its absolute value."""
        self.budget -= 1
        place = self.place(type)
        if depth <= 0 or self.budget <= 0 or self.chance(15):
            return (place, _HELD) if place and self.chance(75) else self._float_leaf(type, depth)
        a, bound_a = self._floating(type, depth - 1)
        b, bound_b = self._floating(type, depth - 1)
        match self.rng.randrange(9):
            case 0 | 1 if bound_a + bound_b <= _EXACT:
                return binary(self.rng.choice("+-"), a, b), bound_a + bound_b
            case 2 if bound_a * bound_b <= _EXACT:
                return binary("*", a, b), bound_a * bound_b
            case 3:
                return (f"-{' ' if within(a, UNARY)[0] == '-' else ''}{within(a, UNARY)}", UNARY), bound_a
            case 4:
                return call(self.rng.choice(["fmin", "fmax", "min", "max"]), a, b), max(bound_a, bound_b)
            case 5:
                quarter = "0.25f" if type.element == "float" else "0.25"
                rounding = self.rng.choice(["floor", "ceil", "rint", "trunc", "round"])
                return call(rounding, binary("*", a, (quarter, PRIMARY))), bound_a
            case 6 if bound_a * bound_b + _HELD <= _EXACT and type.element == "float":
                return call(self.rng.choice(["mad", "fma"]), a, b, self.held(type, 0)), bound_a * bound_b + _HELD
            case 7:
                condition = self.integer(depth - 1)
                return (f"{within(condition[:2], OR)} ? {within(a, TERNARY)} : {within(b, TERNARY)}", TERNARY), max(bound_a, bound_b)
            case 8 if type.width > 1:
                parts = [T(type.element)] * type.width
                return (f"({type})({', '.join(within(self.held(p, depth - 2), ASSIGN) for p in parts)})", PRIMARY), _HELD
        return call("fabs", a), bound_a

    def _float_leaf(self, type: T, depth: int) -> tuple[Text, int]:
        if type.width > 1:
            return (f"({type})({self._number(T(type.element))})", PRIMARY), 99
        if self.chance(60):
            return (self._number(type), PRIMARY), 99
        small = ("(" + binary("%", self.exactly(INT, depth - 1), ("100", PRIMARY))[0] + ")", PRIMARY)
        return cast(type, small), 99

    def _number(self, type: T) -> str:
        n = self.rng.randrange(100)
        texts = [f"{n}.0", f"{n}.", f"{n}e0", f"0x{n:x}p0"]
        return self.rng.choice(texts) + ("f" if type.element == "float" else "")

    # -- vectors of integers -----------------------------------------------------------------------------------------

    def vector(self, type: T, depth: int) -> Text:
        if type.is_float:
            return self.held(type, depth)
        self.budget -= 1
        place = self.place(type, depth=depth if self.chance(10) else 0)
        if depth <= 0 or self.budget <= 0 or self.chance(10):
            return place if place and self.chance(75) else (f"({type})({self._leaf()[0]})", PRIMARY)
        pick = self.rng.choices(
            [self._vector_literal, self._vector_arithmetic, self._vector_bitwise, self._vector_shift, self._vector_division,
             self._vector_comparison, self._vector_unary, self._vector_select, self._vector_swizzle, self._vector_conversion,
             self._vector_as, self._vector_builtin, self._vector_function, self._vector_shuffle],
            [12, 14, 10, 6, 6, 8, 8, 8, 12, 8, 6, 10, 4, 3])[0]  # fmt: skip
        return pick(type, depth - 1)

    def _vector_literal(self, type: T, depth: int) -> Text:
        if self.chance(25):
            return f"({type})({within(self.integer(depth)[:2], ASSIGN)})", PRIMARY
        parts, left = [], type.width
        while left:
            width = self.rng.choice([w for w in (1, 1, 2, 3, 4, 8) if w <= left and w < type.width])
            part = self.integer(depth - 1)[:2] if width == 1 else self.vector(type_of(type, width), depth - 1)
            parts.append(within(part, ASSIGN))
            left -= width
        return f"({type})({', '.join(parts)})", PRIMARY

    def operand(self, type: T, depth: int) -> Text:
        """A vector, or beside one a scalar of its element type."""
        return self.exactly(T(type.element), depth) if self.chance(25) else self.vector(type, depth)

    def _vector_arithmetic(self, type: T, depth: int) -> Text:
        op = self.rng.choice("+-*")
        if not type.signed:
            return binary(op, self.vector(type, depth), self.operand(type, depth))
        unsigned = type.as_unsigned()
        return call(f"as_{type}", binary(op, self.vector(unsigned, depth), self.operand(unsigned, depth)))

    def _vector_bitwise(self, type: T, depth: int) -> Text:
        return binary(self.rng.choice("&|^"), self.vector(type, depth), self.operand(type, depth))

    def _vector_shift(self, type: T, depth: int) -> Text:
        return binary(self.rng.choice(["<<", ">>"]), self.vector(type, depth), self.operand(type, depth))

    def _vector_division(self, type: T, depth: int) -> Text:
        element = T(type.element)
        divisor = cast(element, (str(self.rng.randrange(1, 20)), PRIMARY))
        if self.chance(50):
            masked = binary("&", self.vector(type, depth), cast(element, ("15", PRIMARY)))
            divisor = binary("+", masked, cast(element, ("1", PRIMARY)))
        return binary(self.rng.choice("/%"), self.vector(type, depth), divisor)

    def _vector_comparison(self, type: T, depth: int) -> Text:
        """-1 where it holds; of floats too."""
        sources = [e for e in (*INTEGERS, *(FLOATS if self.scope.fp64 else FLOATS[:1])) if T(e).size == type.size]
        source = type.of(self.rng.choice(sources))
        if self.chance(25) and not source.is_float:
            made = binary(self.rng.choice(["&&", "||"]), self.vector(source, depth), self.vector(source, depth))
        else:
            made = binary(self.rng.choice(["==", "!=", "<", ">", "<=", ">="]), self.vector(source, depth), self.vector(source, depth))
        return made if type.signed else call(f"as_{type}", made)

    def _vector_unary(self, type: T, depth: int) -> Text:
        op = self.rng.choice("-~!")
        if (op == "!") != type.signed and op != "~":
            op = "~"  # - wraps for unsigned types only, ! gives signed ones
        inner = within(self.vector(type, depth), UNARY)
        return f"{op}{' ' if inner[0] == op else ''}{inner}", UNARY

    def _vector_select(self, type: T, depth: int) -> Text:
        a, b = self.vector(type, depth), self.vector(type, depth)
        if self.chance(25):
            return f"{within(self.integer(depth)[:2], OR)} ? {within(a, TERNARY)} : {within(b, TERNARY)}", TERNARY
        condition = self.vector(type.as_signed(), depth)
        if self.chance(50):
            return call("select", a, b, condition)
        return f"{within(condition, OR)} ? {within(a, TERNARY)} : {within(b, TERNARY)}", TERNARY

    def _vector_swizzle(self, type: T, depth: int) -> Text:
        source = T(type.element, self.rng.choice(WIDTHS))
        name = self.swizzle(source.width, type.width, False)
        return f"{within(self.vector(source, depth), POSTFIX)}.{name}", POSTFIX

    def _vector_conversion(self, type: T, depth: int) -> Text:
        source = type.of(self.rng.choice([*INTEGERS, "float"]))
        saturate = "_sat" if source.is_float or self.chance(50) else ""
        return call(f"convert_{type}{saturate}", self.vector(source, depth))

    def _vector_as(self, type: T, depth: int) -> Text:
        widths = [w for w in WIDTHS if w != 3]
        sources = [T(e, w) for e in INTEGERS for w in widths if size_of(e) * w == type.bytes] if type.width != 3 else []
        source = self.rng.choice(sources) if sources else type.as_unsigned()
        return call(f"as_{type}", self.vector(source, depth))

    def _vector_builtin(self, type: T, depth: int) -> Text:
        text, result = self.integer_builtin(type, depth - 1)
        return text if result == type else call(f"as_{type}", text)

    def _vector_function(self, type: T, depth: int) -> Text:
        functions = [f for f in self.scope.functions if f.result == type]
        return self.user_call(self.rng.choice(functions), depth) if functions else self._vector_literal(type, depth)

    def _vector_shuffle(self, type: T, depth: int) -> Text:
        if type.width == 3:
            return self._vector_swizzle(type, depth)
        source = T(type.element, self.rng.choice((2, 4, 8, 16)))
        values = [self.vector(source, depth) for _ in range(self.rng.choice((1, 2)))]
        return call("shuffle" if len(values) == 1 else "shuffle2", *values, self.vector(type.as_unsigned(), depth))


def type_of(type: T, width: int) -> T:
    return T(type.element, width)


def size_of(element: str) -> int:
    return T(element).size
