"""What a kernel becomes when one function runs a whole work-group: statements beside those of `ir`."""

from __future__ import annotations

from dataclasses import dataclass, field

from .. import nodes as ir


@dataclass(eq=False, repr=False)
class ItemLoop(ir.Statement):
    """A region between barriers: its statements are executed for each work-item in turn. Without any it is nothing.

    guarded      items may have returned before
    ends         items may return here, and others go on
    loads        variables that get their values from their places in arrays first
    stores       variables whose values go to these places last
    references   variables that are these places
    """

    body: list[ir.Statement]
    guarded: bool = False
    ends: bool = False
    loads: list[ir.Variable] = field(default_factory=list)
    stores: list[ir.Variable] = field(default_factory=list)
    references: list[ir.Variable] = field(default_factory=list)


@dataclass(eq=False, repr=False)
class ItemExpression(ir.Expr):
    """A region as an expression without a value: a part of a loop's step."""

    loop: ItemLoop


@dataclass(eq=False, repr=False)
class EndItem(ir.Statement):
    """A work-item's return before the last region: it takes no part in those that follow."""


@dataclass(eq=False, repr=False)
class Store(ir.Statement):
    """A variable that is a place in an array gets the value of its initialiser."""

    variable: ir.Variable
    init: ir.Expr


@dataclass
class WorkGroup:
    """A kernel as one function for a whole work-group.

    types     what the kernel defines, which comes first
    local     the kernel's local variables
    arrays    the variables that have a place for each work-item
    values    what variables hold that are given one value, where they can be used
    names     what variables are called that have another name here than in the kernel
    returns   whether items may return while others go on
    own_ids   whether the function alone asks for the ids of its work-items
    """

    types: list[ir.DeclareType]
    local: list[ir.Variable]
    body: list[ir.Statement]
    arrays: list[ir.Variable] = field(default_factory=list)
    values: dict[ir.Variable, ir.Expr] = field(default_factory=dict)
    names: dict[ir.Variable, str] = field(default_factory=dict)
    returns: bool = False
    own_ids: bool = False


class NotSplit(Exception):
    """The kernel's work-items must run beside each other, for the reason given."""
