"""Where the private variables of a kernel live that is split into regions.

A variable that only one region uses stays there. One whose value is cheap to compute again, from the ids and what the group has, is
declared again in each region: an array of it would keep the compiler from seeing how addresses follow each other. One that no region
reads before it gives it a value gets a variable of its own in each. All others have a place for each work-item.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import nodes as ir
from ..types import Array, BlockType, Opaque, Record, Vector, size_of
from .exposed import Fate, FormerValues
from .nodes import ItemLoop, NotSplit, Store
from .plan import Plan
from .walk import (
    assigned,
    evaluated,
    every_statement,
    has_const_field,
    has_pointer,
    is_id,
    is_volatile,
    reads_memory,
    variables,
    writes_memory,
)  # fmt: skip

# Bytes that a work-item may keep from region to region.
MOST_MEMORY = 64 << 10
# So many nodes of an expression are computed again rather than kept.
_CHEAP = 24
_CHEAP_SECTIONS = ("6.4.", "6.15.3")  # conversions and the functions of integers


class Placing:
    def __init__(self, plan: Plan, regions: Sequence[ItemLoop], body: list[ir.Statement], temporaries: Sequence[ir.Variable]):
        self.plan, self.regions = plan, regions
        self.arrays: list[ir.Variable] = []
        self._temporaries = temporaries
        self._used = {region: variables(region.body) for region in regions}
        self._scopes = _scopes(body)
        self._declared = {v: init for each in every_statement(body) if isinstance(each, ir.Declare) for v, init in each.variables}
        self._top = {v: region for region in regions for each in region.body if isinstance(each, ir.Declare) for v, _ in each.variables}
        self._again: dict[ir.Variable, bool] = {}
        self._former = FormerValues()
        self._assigned: dict[int, set[ir.Variable]] = {}  # of the lists of statements in `_scopes`
        own = [v for v in (*self._declared, *temporaries) if v.space == "private" and v not in plan.group]
        for variable in own:
            self._place(variable)
        if sum(size_of(variable.type) for variable in self.arrays) > MOST_MEMORY:
            raise NotSplit("its work-items keep too much memory of their own")
        for region in regions:
            self._complete(region)

    def _place(self, variable: ir.Variable) -> None:
        users = [region for region in self.regions if variable in self._used[region]]
        home = self._top.get(variable)
        kept = variable in self.plan.addresses.kept
        if not users or self._computed_again(variable):
            return
        if home is None and variable in self._declared:
            return  # declared within a statement of one region
        if users == [home] and (not kept or len(self.regions) == 1):
            return
        if not kept and not any(self._former.fate(variable, region.body) is Fate.READ for region in users):
            return
        element = _element(variable)
        if has_const_field(variable.type) or (isinstance(element, (Record, Vector)) and (variable.volatile or is_volatile(variable.type))):
            raise NotSplit(f"'{variable.name}' cannot be assigned as a whole")
        if isinstance(variable.type, BlockType) or (isinstance(variable.type, Opaque) and variable.type.kind != "event"):
            raise NotSplit(f"'{variable.name}' cannot be kept in an array")
        self.arrays.append(variable)

    # -- values that are computed again ------------------------------------------------------------------------------

    def _computed_again(self, variable: ir.Variable) -> bool:
        if variable not in self._again:
            self._again[variable] = False  # until it is known to be otherwise
            self._again[variable] = self._can_be_computed(variable)
        return self._again[variable]

    def _can_be_computed(self, variable: ir.Variable) -> bool:
        init = self._declared.get(variable)
        if init is None or variable not in self._top or isinstance(variable.type, (Array, Record, Opaque)) or variable.volatile:
            return False
        if variable in self.plan.addresses.taken or variable in self.plan.changed:
            return False
        pieces = list(evaluated(init))
        if len(pieces) > _CHEAP or reads_memory(init) or not all(map(_is_cheap, pieces)):
            return False
        return all(self._stays(other, variable) for other in variables(init))

    def _stays(self, other: ir.Variable, variable: ir.Variable) -> bool:
        """Whether the other variable has the same value wherever the first one can be used."""
        if other.space != "private":
            return True
        if other in self.plan.fixed:
            return True
        if other not in self.plan.group:
            return other not in self.plan.changed and self._computed_again(other)
        return other not in self.plan.changed or other not in self._assigned_beside(variable)

    def _assigned_beside(self, variable: ir.Variable) -> set[ir.Variable]:
        """What the statements assign among which the variable is declared."""
        scope = self._scopes[variable]
        found = self._assigned.get(id(scope))
        if found is None:
            found = self._assigned[id(scope)] = assigned(scope)
        return found

    def values(self) -> dict[ir.Variable, ir.Expr]:
        """What variables hold that are given one value, from which the value can be computed wherever they can be used."""
        found: dict[ir.Variable, ir.Expr] = {}
        for variable, init in self._declared.items():
            if init is None or variable in self.plan.changed or variable in self.plan.group or variable.volatile:
                continue
            if reads_memory(init) or not all(map(_is_cheap, evaluated(init))):
                continue
            within = self._top.get(variable)
            own = within is None or [within] == [region for region in self.regions if variable in self._used[region]]
            lasting = own and not variables(init) & self._assigned_beside(variable)
            if lasting or self._again.get(variable):
                found[variable] = init
        return found

    # -- the regions -------------------------------------------------------------------------------------------------

    def _complete(self, region: ItemLoop) -> None:
        """Declares what the region uses, and brings it to the places in arrays and from there."""
        used = [v for v in self.arrays if v in self._used[region]]
        region.references = [v for v in used if self._is_place(v)]
        kept = [v for v in used if not self._is_place(v)]
        region.loads = [v for v in kept if self._former.fate(v, region.body) is not Fate.LOST]
        given = assigned(region.body) | {v for v, home in self._top.items() if home is region and self._declared[v] is not None}
        region.stores = [v for v in kept if v in given]
        body: list[ir.Statement] = []
        for each in region.body:
            if isinstance(each, ir.Declare) and each.variables[0][0] in region.references:
                variable, init = each.variables[0]
                body += [Store(each.pos, variable, init)] if init is not None else []
            else:
                body.append(each)
        missing: list[ir.Statement] = []
        wanted = self._wanted(region)
        for variable, init in self._declared.items():
            if variable in wanted:
                again = init if self._again.get(variable) else None
                missing.append(ir.Declare(region.pos, [(variable, again)]))
        for variable in self._temporaries:
            if variable in wanted:
                missing.append(ir.Declare(region.pos, [(variable, None)]))
        for variable in kept:
            if variable not in region.loads and self._top.get(variable) is not region:
                missing.append(ir.Declare(region.pos, [(variable, None)]))
        region.body = missing + body
        if not region.stores and not any(map(_has_effect, region.body)):
            region.body = []

    def _is_place(self, variable: ir.Variable) -> bool:
        """Whether the variable is its place in the array, rather than brought from there and back."""
        return variable in self.plan.addresses.taken or isinstance(variable.type, (Array, Record)) or variable.volatile

    def _wanted(self, region: ItemLoop) -> set[ir.Variable]:
        found: set[ir.Variable] = set()
        stack = list(self._used[region])
        while stack:
            variable = stack.pop()
            if variable not in self._declared and variable not in self._temporaries:
                continue
            if variable in found or variable.space != "private" or not self._is_own(variable) or self._top.get(variable) is region:
                continue
            if variable in self._declared and variable not in self._top:
                continue
            found.add(variable)
            if self._again.get(variable):
                init = self._declared[variable]
                assert init is not None
                stack += variables(init)
        return found

    def _is_own(self, variable: ir.Variable) -> bool:
        return variable not in self.plan.group and variable not in self.plan.fixed and variable not in self.arrays



def _element(variable: ir.Variable) -> object:
    type = variable.type
    while isinstance(type, Array):
        type = type.element
    return type


def _has_effect(statement: ir.Statement) -> bool:
    return not isinstance(statement, ir.Declare) or any(
        init is not None and (writes_memory(ir.Evaluate(0, init)) or assigned(init)) for _, init in statement.variables)


def _is_cheap(node: ir.Expr | ir.Statement) -> bool:
    if isinstance(node, ir.BuiltinCall):
        cheap = node.overload.row.section.startswith(_CHEAP_SECTIONS) and not has_pointer(node)
        return cheap or is_id(node)
    return isinstance(node, (
        ir.Number, ir.Name, ir.BuiltinConstant, ir.SizeOf, ir.Unary, ir.Binary, ir.Conditional, ir.Cast, ir.Splat, ir.MakeVector,
        ir.Component, ir.Swizzle,
    ))  # fmt: skip


def _scopes(body: list[ir.Statement]) -> dict[ir.Variable, list[ir.Statement]]:
    """The statements among which each variable is declared."""
    found: dict[ir.Variable, list[ir.Statement]] = {}
    lists = [body]
    for each in every_statement(body):
        if isinstance(each, ir.Block):
            lists.append(each.statements)
        elif isinstance(each, ir.Case):
            lists.append(each.body)
        elif isinstance(each, ir.For):
            lists.append([each])
            if isinstance(each.init, ir.Declare):
                found.update((v, [each]) for v, _ in each.init.variables)
    for statements in lists:
        for each in statements:
            if isinstance(each, ir.Declare):
                found.update((v, statements) for v, _ in each.variables)
    return found

