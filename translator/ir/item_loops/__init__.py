"""Kernels with barriers as the host device runs them best: one function for a whole work-group, in which loops over the work-items stand
between the barriers. The compiler vectorises those across work-items.

    prepare      the body in a shape that can be split       inline       functions with barriers, where they are called
    uniform      what all items of a group have in common    plan         what is executed once for the group
    lower        the regions between the barriers            place        where the variables of the regions live
    exposed      what a region does with a former value      subscripts   addresses that the compiler can follow
    walk         what pieces of a kernel do                  addresses    whose address is kept
    waiting      loops that wait for other work-groups

A kernel can be split where its barriers stand in control flow that is the same for all items of a group. Any kernel's items may
run beside each other instead, each on a stack of its own. Knows the representation alone, not how anything is printed.
"""

from __future__ import annotations

from ....builtins.concurrency import is_collective
from .. import nodes as ir
from ..walk import nodes_of, reachable
from .inline import Inliner
from .lower import Banned, Lowering, end_items
from .nodes import EndItem, ItemExpression, ItemLoop, NotSplit, Store, WorkGroup
from .place import Placing
from .plan import Plan
from .prepare import prepared
from .walk import BARRIERS, every_statement, needs_ids

__all__ = ["EndItem", "ItemExpression", "ItemLoop", "NotSplit", "Store", "WorkGroup", "work_group"]

# They tell private memory by its address, which is then not on a stack.
_ASK_FOR_SPACE = frozenset(("to_global", "to_local", "to_private", "get_fence"))


def work_group(kernel: ir.Function) -> WorkGroup:
    """The kernel as one function for a work-group. Raises NotSplit with the reason why it has to run otherwise."""
    _check(kernel)
    inliner = Inliner()
    parameters, body = prepared(kernel, inliner)
    banned: set[ir.Variable] = set()
    while True:
        plan = Plan(parameters, body, banned)
        lowering = Lowering(plan)
        try:
            lowered = lowering.body(body)
            break
        except Banned as found:
            if found.variables <= banned:
                raise NotSplit("a variable that decides about barriers is changed by each item") from None
            banned |= found.variables
    returns = end_items(lowered)
    placing = Placing(plan, lowering.regions, body, [*kernel.temporaries, *inliner.temporaries])
    local = [*kernel.local_variables, *inliner.local]
    _check_types(lowering.types)
    return WorkGroup(lowering.types, local, lowered, placing.arrays, placing.values(), _names(parameters, local, body), returns,
                     not needs_ids(lowered))


def _check(kernel: ir.Function) -> None:
    names = {name for each in reachable(kernel) for name in each.builtins}
    for name in sorted(names):
        if is_collective(name) and name not in BARRIERS and not name.startswith("async_work_group_"):
            raise NotSplit(f"it calls {name}")
        if name in _ASK_FOR_SPACE:
            raise NotSplit(f"it calls {name}")
    if kernel.first_goto is not None:
        raise NotSplit("goto")
    assert kernel.body is not None
    if any(isinstance(each, (ir.BlockLiteral, ir.CallBlock, ir.Asm)) for each in nodes_of(kernel.body)):
        raise NotSplit("it has blocks")


def _check_types(types: list[ir.DeclareType]) -> None:
    """They leave their blocks, and must not meet others of their names."""
    names: list[str] = []
    for each in types:
        item = each.item
        if isinstance(item, ir.EnumItem):
            names += [*([item.tag] if item.tag else []), *(enumerator.name for enumerator in item.enumerators)]
        elif isinstance(item, ir.TypedefItem):
            names.append(item.name)
        elif isinstance(item, ir.RecordItem) and item.defined:
            names.append(item.record.name)
    if len(set(names)) < len(names):
        raise NotSplit("its blocks define different types of one name")


def _names(parameters: list[ir.Variable], local: list[ir.Variable], body: list[ir.Statement]) -> dict[ir.Variable, str]:
    """New names for variables of the same one: the blocks around barriers are no scopes of their own any more."""
    taken: dict[str, ir.Symbol] = {each.cxx_name: each for each in parameters}
    found: dict[ir.Variable, str] = {}
    private = [v for each in every_statement(body) if isinstance(each, ir.Declare) for v, _ in each.variables if v.space == "private"]
    own = {*local, *private}
    for each in nodes_of(body):
        symbol = each.symbol if isinstance(each, ir.Name) else each.function if isinstance(each, ir.Call) else None
        if symbol is not None and symbol not in own:
            taken.setdefault(symbol.cxx_name, symbol)
    for variable in (*local, *private):
        name, number = variable.cxx_name, 1
        while taken.setdefault(name, variable) is not variable:
            number += 1
            name = f"{variable.cxx_name}_{number}"
        if name != variable.cxx_name:
            found[variable] = name
    return found
