"""Names: the scopes of a program, and the unit that every part of the analysis reports to and looks things up in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from ...diagnostics import Diagnostic, Diagnostics
from ...ir import nodes as ir
from ...ir.names import cxx_name
from ...ir.types import Record, Type, align_of
from ...options import BuildOptions
from ..dialect import Dialect
from ..preprocess.preprocess import SourceMap
from .static_values import Initials

if TYPE_CHECKING:
    from . import ProgramScope
    from .blocks import Blocks
    from .conversions import Conversions
    from .declarations import Declarations
    from .expressions import Expressions
    from .extensions import Extensions
    from .initialisers import Initialisers
    from .pragmas import Pragmas
    from .restrictions import Restrictions
    from .statements import Statements


Rule = Callable[[Any], Any]


class Rules(dict[type, Rule]):
    """What is done with a node, by its class: its own rule, that of the class of pycparser's which ours extends, or `otherwise`."""

    def __init__(self, rules: dict[type, Rule], otherwise: Rule):
        super().__init__(rules)
        self.otherwise = otherwise

    def __missing__(self, kind: type) -> Rule:
        found = self[kind] = next((self[each] for each in kind.__mro__ if each in self), self.otherwise)
        return found


class Invalid(Exception):
    """An error has been reported; what surrounds the faulty part goes on with the next statement."""


class Qualified(NamedTuple):
    """A type with the qualifiers and the address space of the object that has it."""

    type: Type
    const: bool = False
    volatile: bool = False
    space: str | None = None
    restrict: bool = False
    aligned: int | None = None  # by a typedef: more than the type's own, or less

    @property
    def object_alignment(self) -> int | None:
        """What an object is aligned to that is more than its type."""
        return self.aligned if self.aligned is not None and self.aligned > align_of(self.type) else None


@dataclass(eq=False)
class EnumTag:
    """What `enum name` stands for."""

    name: str | None
    type: Type


Named = Union[Qualified, ir.Variable, ir.Enumerator, list[ir.Function]]  # a typedef, an object, or the functions of one name
Tag = Union[Record, EnumTag]


@dataclass(eq=False)
class Scope:
    """The names and tags of one block, which hides those of `parent`."""

    parent: Scope | None = None
    names: dict[str, Named] = field(default_factory=dict)
    tags: dict[str, Tag] = field(default_factory=dict)
    head: bool = False  # that of a for's first clause: C++ forbids to hide its names in the loop's body
    beyond: Scope | None = field(init=False)  # the next one that has names: one that is around another gets no more

    def __post_init__(self) -> None:
        outer = self.parent
        self.beyond = outer if outer is None or outer.names or outer.parent is None else outer.beyond

    def find(self, name: str) -> Named | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.beyond
        return None

    def find_tag(self, name: str) -> Tag | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.tags:
                return scope.tags[name]
            scope = scope.parent
        return None


class Unit:
    """One translation unit under analysis. The parts of the analysis know each other only through it."""

    declarations: Declarations
    conversions: Conversions
    expressions: Expressions
    extensions: Extensions
    blocks: Blocks
    initialisers: Initialisers
    restrictions: Restrictions
    pragmas: Pragmas
    statements: Statements
    program: ProgramScope

    def __init__(self, pre: SourceMap, options: BuildOptions, dialect: Dialect, diagnostics: Diagnostics):
        self.pre, self.options, self.dialect, self.diagnostics = pre, options, dialect, diagnostics
        self.program_scope = self.scope = Scope()
        self.items: list[ir.Item] = []
        self.functions: list[ir.Function] = []
        self.declared: set[str] = set()
        self.objects: set[str] = set()  # those of them that are no types
        self.function: ir.Function | None = None
        self.extern_uses: dict[ir.Variable, int] = {}  # variables only declared so far, by where they are first named
        self.initials = Initials()
        self.pending_items: list[ir.Item] = []  # types that a declaration defines on its way
        self.not_in_library: dict[str, int] = {}  # types that the device library lacks, and where they were first named
        self._anonymous = 0

    def close(self) -> None:
        """Its parts and it hold each other, and tables of their own methods; taken apart, they go at once."""
        vars(self.expressions).clear()
        vars(self.statements).clear()
        vars(self).clear()

    # -- reporting ---------------------------------------------------------------------------------------------------

    def error(self, pos: int, message: str, *notes: Diagnostic) -> None:
        self.diagnostics.error(message, self.pre.locate(pos), notes)

    def fail(self, pos: int, message: str, *notes: Diagnostic) -> Invalid:
        """Reports an error; `raise unit.fail(…)` leaves the faulty statement."""
        self.error(pos, message, *notes)
        return Invalid()

    def warning(self, pos: int, message: str, *notes: Diagnostic) -> None:
        self.diagnostics.warning(message, self.pre.locate(pos), notes)

    def note(self, pos: int | None, message: str) -> Diagnostic:
        return self.diagnostics.make("note", message, None if pos is None else self.pre.locate(pos))

    # -- names -------------------------------------------------------------------------------------------------------

    def open_scope(self) -> None:
        self.scope = Scope(self.scope)

    def close_scope(self) -> None:
        assert self.scope.parent is not None
        self.scope = self.scope.parent

    def declare(self, name: str, named: Named) -> None:
        self.scope.names[name] = named
        self.declared.add(name)
        if not isinstance(named, Qualified):
            self.objects.add(name)

    def new_variable(self, variable: ir.Variable) -> ir.Variable:
        variable.cxx_name = cxx_name(variable.name)
        if self._in_head(variable.name):
            variable.cxx_name += "_inner"
        variable.owner = self.function and self.function.identity
        self.declare(variable.name, variable)
        return variable

    def _in_head(self, name: str) -> bool:
        body = self.scope.parent
        head = body.parent if body is not None else None
        return (body is not None and body.head and name in body.names) or (head is not None and head.head and name in head.names)

    def temporary(self, type: Type, pos: int) -> ir.Variable:
        """A variable of our own in the current function, for a value that the output must name."""
        if self.function is None:
            raise self.fail(pos, "initializer element is not a compile-time constant")
        name = f"temporary{len(self.function.temporaries) + 1}"
        while name in self.declared:
            name += "_"
        variable = ir.Variable(name, type, "private", pos, cxx_name=name, owner=self.function.identity)
        self.function.temporaries.append(variable)
        return variable

    def anonymous_name(self, kind: str) -> str:
        self._anonymous += 1
        return f"{kind}_{self._anonymous}"
