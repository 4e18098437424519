"""The typed intermediate representation: what a front end makes of a program and emission prints.

Everything that OpenCL C leaves implicit is explicit here: conversions (`Cast`, `Splat`), swizzles, vector comparisons, the
overload of every built-in, braces of initialisers. Nodes are never changed once made. `pos` is an offset into the
preprocessed text, or of an instruction in a module of SPIR-V: both front ends produce these nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from reprlib import recursive_repr
from typing import Any, ClassVar, Literal, Union

from .types import Pointer, Record, Scalar, Space, Type, Vector

# What a kernel's local variables may take statically in CUDA's shared memory; what is more lives in its dynamic memory.
STATIC_LOCAL_LIMIT = 48 * 1024


def static_local_limit(zero_local: bool) -> int:
    """Local memory that starts as zeros is all in one place, the dynamic memory."""
    return 0 if zero_local else STATIC_LOCAL_LIMIT


@dataclass(eq=False, repr=False)
class Node:
    """The base of all classes here. What they have by `dataclass` is compiled for each of them in every process that builds: equality is
    identity, and this class prints them."""

    @recursive_repr()
    def __repr__(self) -> str:
        members = ", ".join(f"{member.name}={getattr(self, member.name)!r}" for member in fields(self))
        return f"{type(self).__name__}({members})"


# -- symbols ---------------------------------------------------------------------------------------------------------


@dataclass(eq=False, repr=False)
class Variable(Node):
    """A variable or parameter. cxx_name is what the output calls it (C++ and CUDA reserve more words than OpenCL)."""

    name: str
    type: Type
    space: Space
    pos: int
    const: bool = False
    volatile: bool = False
    static: bool = False
    extern: bool = False
    scope: Literal["program", "function", "parameter"] = "function"
    aligned: int | None = None
    cxx_name: str = ""
    restrict: bool = False
    owner: object = None  # the `identity` of the function, or block, that declares it
    host_access: tuple[bool, bool, str] | None = None  # of program scope: whether the host may read and write it, and by which name
    immediate: bool = False  # a parameter that every call gives a constant, which inline assembly takes as an immediate
    value: int | None = None  # of a const variable whose initializer is an integer constant expression
    constexpr: bool = False  # another's initialiser needs its value
    of_addresses: bool = False  # an integer, or an array of such, whose initialiser is pointers
    type_name: str = ""  # of a parameter: its type as the program wrote it, where `type` does not tell that


@dataclass(eq=False, repr=False)
class Enumerator(Node):
    """A constant of an enumeration."""

    name: str
    value: int
    type: Scalar
    cxx_name: str = ""
    immediate: ClassVar[bool] = False


@dataclass(eq=False, repr=False)
class Function(Node):
    """A user's function. The facts below the line are filled in once its body has been analysed."""

    immediate: ClassVar[bool] = False

    name: str
    result: Type
    parameters: list[Variable]
    pos: int
    kernel: bool = False
    variadic: bool = False
    noinline: bool = False
    attributes: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    cxx_name: str = ""
    body: Block | None = None
    callees: list[Function] = field(default_factory=list)
    builtins: set[str] = field(default_factory=set)
    variables: set[Variable] = field(default_factory=set)  # of the program, that it names
    local_variables: list[Variable] = field(default_factory=list)
    temporaries: list[Variable] = field(default_factory=list)
    first_goto: int | None = None
    gotos: list[Goto] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    overloaded: bool = False
    internal: bool = False  # static, or inline: other objects of a linked program do not see it
    called_at: int | None = None
    block: bool = False  # a block literal's own; then whether it is in a function, and whether its result is its returns' type
    nested: bool = False
    inferred: bool = False
    returns: bool = False
    launched: bool = False  # a block that enqueue_kernel gets, or a query of such blocks; and whether it is called, too
    called: bool = False
    captures: list[Variable] = field(default_factory=list)  # of a launched block: what it holds of the functions around it
    launches: list[Function] = field(default_factory=list)  # launched blocks that are written in the function
    lifted: int = 0  # how many of the last parameters are pointers to kernels' local variables, which the function names in its module
    body_name: str = ""  # a kernel that others call: the function that both run
    defined_as: Function | None = None  # of an imported one: the definition, if its integers' signs differ
    identity: object = field(default_factory=object)  # what its variables know it by, without holding it


Symbol = Union[Variable, Enumerator, Function]

# -- expressions -----------------------------------------------------------------------------------------------------


@dataclass(eq=False, repr=False)
class Expr(Node):
    """What has a value, and that value's type."""

    type: Type
    pos: int


@dataclass(eq=False, repr=False)
class Number(Expr):
    """A number or character; text is the C++ spelling, value the Python number."""

    text: str
    value: int | float


@dataclass(eq=False, repr=False)
class String(Expr):
    """A string literal; text is the C++ spelling."""

    text: str


@dataclass(eq=False, repr=False)
class Name(Expr):
    """A variable, enumerator or function, by its name."""

    symbol: Symbol


@dataclass(eq=False, repr=False)
class BuiltinConstant(Expr):
    """M_PI_F, CLK_LOCAL_MEM_FENCE …: a row of builtins/constants.py. `value` is an integer's, `number` that of a floating-point one."""

    name: str
    value: int | None
    number: float | None = None


@dataclass(eq=False, repr=False)
class Unary(Expr):
    """op is one of + - ~ ! & *"""

    op: str
    operand: Expr


@dataclass(eq=False, repr=False)
class Step(Expr):
    """++ and --, before or after."""

    op: str
    postfix: bool
    operand: Expr


@dataclass(eq=False, repr=False)
class Binary(Expr):
    """Arithmetic, comparison or logic. Operands are of one type already, save that one side of a vector operation may be
    the scalar element type, that shifts convert nothing, and that pointer arithmetic mixes."""

    op: str
    left: Expr
    right: Expr


@dataclass(eq=False, repr=False)
class Conditional(Expr):
    """c ? a : b with a scalar condition; a vector condition is the built-in `select`."""

    condition: Expr
    yes: Expr
    no: Expr


@dataclass(eq=False, repr=False)
class Assign(Expr):
    """op is "=" or a compound assignment; the value of a compound one is already of the type that C computes in."""

    op: str
    target: Expr
    value: Expr


@dataclass(eq=False, repr=False)
class Sequence(Expr):
    """left, right"""

    left: Expr
    right: Expr


@dataclass(eq=False, repr=False)
class Cast(Expr):
    """A conversion between scalars or pointers, or reading one struct or pointer type as another."""

    operand: Expr
    implicit: bool


@dataclass(eq=False, repr=False)
class Splat(Expr):
    """A scalar of the element type widened to a vector (6.4.1, 6.4.2)."""

    operand: Expr


@dataclass(eq=False, repr=False)
class MakeVector(Expr):
    """A vector literal (6.3.6): scalars and vectors of the element type, as many components as the type has."""

    parts: list[Expr]


@dataclass(eq=False, repr=False)
class Member(Expr):
    """volatile: the member is, yet C++ declares it without, since it copies no struct with volatile members of class type."""

    base: Expr
    arrow: bool
    name: str
    volatile: bool = False


@dataclass(eq=False, repr=False)
class Index(Expr):
    """base[index]"""

    base: Expr
    index: Expr


@dataclass(eq=False, repr=False)
class Component(Expr):
    """One component of a vector, as value or lvalue; index counts from 0."""

    base: Expr
    index: int


@dataclass(eq=False, repr=False)
class Swizzle(Expr):
    """Several components as a value; name is the member function's ("xy", "s01", "lo")."""

    base: Expr
    name: str
    indices: tuple[int, ...]


@dataclass(eq=False, repr=False)
class SetSwizzle(Expr):
    """base.name = value; the expression's own value is `value`."""

    base: Expr
    name: str
    value: Expr


@dataclass(eq=False, repr=False)
class Call(Expr):
    """A call of a function of the program's."""

    function: Function
    arguments: list[Expr]


@dataclass(eq=False, repr=False)
class BuiltinCall(Expr):
    """overload is a row's concrete form (builtins/table.py); arguments are of its parameter types."""

    overload: Any
    arguments: list[Expr]


@dataclass(eq=False, repr=False)
class SizeOf(Expr):
    """sizeof of a type or of an expression that is not evaluated."""

    of: Type
    value: int


@dataclass(eq=False, repr=False)
class InitList(Expr):
    """Fully braced and in order: one item for each leading element or field; None is a zero. member names the one item's
    field of a union where that is not the first."""

    items: list[Expr | None]
    member: str | None = None


@dataclass(eq=False, repr=False)
class CompoundLiteral(Expr):
    """(type){…}; `variable` is the temporary that holds it where it must have an address."""

    init: Expr
    variable: Variable | None = None


@dataclass(eq=False, repr=False)
class StatementExpression(Expr):
    """({ … }): its value, unless void, is that of the Return at the end."""

    body: list[Statement]


@dataclass(eq=False, repr=False)
class VolatileObject(Expr):
    """A volatile vector, record or half: its value, or where `place` is set the object itself as if it were not volatile. C++ neither
    copies nor changes a volatile object of class type."""

    operand: Expr
    place: bool


@dataclass(eq=False, repr=False)
class StoreVolatile(Expr):
    """target = value for a volatile vector, record or half; the expression's own value is `value`."""

    target: Expr
    value: Expr


@dataclass(eq=False, repr=False)
class Intrinsic(Expr):
    """A function of the device library, or of both compilers, that is no built-in of OpenCL C."""

    name: str
    arguments: list[Expr]


@dataclass(eq=False, repr=False)
class BlockLiteral(Expr):
    """^(…) { … }; captured are those of the arrays and volatile objects of class type around it that it names."""

    function: Function
    captured: list[Variable]


@dataclass(eq=False, repr=False)
class BlockName(Expr):
    """A block variable of the program, as a value."""

    function: Function


@dataclass(eq=False, repr=False)
class CallBlock(Expr):
    """function is the block's own, where it is known which block that is."""

    callee: Expr
    arguments: list[Expr]
    function: Function | None = None


# -- statements ------------------------------------------------------------------------------------------------------


@dataclass(eq=False, repr=False)
class Statement(Node):
    """What is executed, in a function's body."""

    pos: int


@dataclass(eq=False, repr=False)
class Declare(Statement):
    """The variables that one declaration names, with their initialisers."""

    variables: list[tuple[Variable, Expr | None]]


@dataclass(eq=False, repr=False)
class DeclareType(Statement):
    """A type that is declared among statements."""

    item: Item


@dataclass(eq=False, repr=False)
class Evaluate(Statement):
    """expression;"""

    expression: Expr


@dataclass(eq=False, repr=False)
class If(Statement):
    """if (condition) yes else no"""

    condition: Expr
    yes: Statement
    no: Statement | None


@dataclass(eq=False, repr=False)
class While(Statement):
    """while (condition) body; unroll is what follows `#pragma unroll` before it."""

    condition: Expr
    body: Statement
    unroll: str | None


@dataclass(eq=False, repr=False)
class DoWhile(Statement):
    """do body while (condition);"""

    body: Statement
    condition: Expr
    unroll: str | None


@dataclass(eq=False, repr=False)
class For(Statement):
    """for (init; condition; step) body"""

    init: Statement | None
    condition: Expr | None
    step: Expr | None
    body: Statement
    unroll: str | None


@dataclass(eq=False, repr=False)
class Switch(Statement):
    """switch (value) body; the body's statements are, or hold, the cases."""

    value: Expr
    body: Statement


@dataclass(eq=False, repr=False)
class Case(Statement):
    """case low: or case low ... high:, followed by its statements; low is None for default."""

    low: Expr | None
    high: Expr | None
    body: list[Statement]


@dataclass(eq=False, repr=False)
class Break(Statement):
    """break;"""


@dataclass(eq=False, repr=False)
class Continue(Statement):
    """continue;"""


@dataclass(eq=False, repr=False)
class Return(Statement):
    """return value;"""

    value: Expr | None


@dataclass(eq=False, repr=False)
class Block(Statement):
    """{ … }; end is the place of the closing brace."""

    statements: list[Statement]
    end: int


@dataclass(eq=False, repr=False)
class Goto(Statement):
    """goto label;"""

    label: str


@dataclass(eq=False, repr=False)
class Label(Statement):
    """name: body"""

    name: str
    body: Statement


@dataclass(eq=False, repr=False)
class Empty(Statement):
    """;"""


@dataclass(eq=False, repr=False)
class Asm(Statement):
    """Inline PTX; the strings are literals, an operand is (constraint, expression)."""

    template: str
    volatile: bool
    outputs: list[tuple[str, Expr]]
    inputs: list[tuple[str, Expr]]
    clobbers: list[str]


# -- program ---------------------------------------------------------------------------------------------------------


@dataclass(eq=False, repr=False)
class TypedefItem(Node):
    """A typedef."""

    name: str
    type: Type
    pos: int


@dataclass(eq=False, repr=False)
class RecordItem(Node):
    """A struct or union; defined: with its fields."""

    record: Record
    pos: int
    defined: bool


@dataclass(eq=False, repr=False)
class EnumItem(Node):
    """An enumeration; tag is None where it has no name."""

    tag: str | None
    enumerators: list[Enumerator]
    type: Scalar
    pos: int


@dataclass(eq=False, repr=False)
class VariableItem(Node):
    """A variable of the program, and what it starts with."""

    variable: Variable
    init: Expr | None
    pos: int


@dataclass(eq=False, repr=False)
class FunctionItem(Node):
    """A function; defined: with its body. `parameters` are as a prototype names them, by types that it may know already."""

    function: Function
    pos: int
    defined: bool
    parameters: tuple[Variable, ...] = ()


Item = Union[TypedefItem, RecordItem, EnumItem, VariableItem, FunctionItem]


@dataclass(eq=False, repr=False)
class Program(Node):
    """A translation unit, in the order of its text. declared holds every name that the program declares anywhere, objects
    those of them that are no types'; fp_contract says whether a * b + c may be computed without rounding in between (#pragma
    OPENCL FP_CONTRACT); signless, that its integers have no signs, so that it may be linked with functions and variables whose integers
    have; imports are the functions and variables that another object must define, by where they are used;
    zero_local and zero_private say that the memory of these address spaces starts as zeros."""

    items: list[Item]
    functions: list[Function]
    declared: set[str]
    objects: set[str]
    fp_contract: bool = True
    imports: dict[Symbol, int] = field(default_factory=dict)
    zero_local: bool = False
    zero_private: bool = False
    signless: bool = False


def is_offset(expression: Binary) -> bool:
    """Whether a number is added to a pointer."""
    return isinstance(expression.type, Pointer) and expression.op in ("+", "-")


def component_names(width: int) -> str:
    """The letters by which the library names the components of a vector of that width."""
    return "xyzw" if width <= 4 else "0123456789abcdef"


def swizzle_name(vector: Vector, indices: tuple[int, ...]) -> str:
    """The member function's name for these components, or the member's own for one."""
    letters = "".join(component_names(vector.width)[i] for i in indices)
    return letters if vector.width <= 4 else "s" + letters
