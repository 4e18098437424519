"""Linking: the analysed programs of several compiled objects resolved against each other (OpenCL API 5.8.5).

Each object keeps a C++ namespace of its own, so that its types, static functions and typedefs cannot meet another's. What an
object imports gets the qualified name of its definition; a struct or union that several objects define alike becomes one type,
by C's rule for types of different translation units (C99 6.2.7). Owns names, types and their errors; `emit` prints the result.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Union

from ..diagnostics import Diagnostic, Diagnostics
from . import nodes as ir
from . import reach
from .source_map import SourceMap
from .types import UCHAR, UINT, ULONG, USHORT, Array, FunctionType, Opaque, Pointer, Record, Scalar, Type, Vector, size_of

Definition = Union[ir.Function, ir.Variable]
Key = tuple[str, ...]


@dataclass(eq=False)
class LinkedObject:
    """One object of a linked program.

    namespace   of its own, inside `ocl::user`
    announced   structs and unions that objects before it already speak of
    borrowed    structs and unions that are another object's, with their qualified names there
    wanted      functions that other objects call
    imported    variables that are another object's, with their definitions there
    """

    program: ir.Program
    pre: SourceMap
    namespace: str
    announced: list[Record] = field(default_factory=list)
    borrowed: dict[Record, str] = field(default_factory=dict)
    wanted: list[ir.Function] = field(default_factory=list)
    imported: dict[ir.Variable, ir.Variable] = field(default_factory=dict)


def resolve(parts: Sequence[tuple[ir.Program, SourceMap]], diagnostics: Diagnostics) -> list[LinkedObject]:
    """The objects of the linked program, with every import resolved; what is wrong is in `diagnostics`."""
    names = _namespaces(parts)
    objects = [LinkedObject(program, pre, name) for (program, pre), name in zip(parts, names, strict=True)]
    definitions = _definitions(objects, diagnostics)
    _share_records(objects, definitions)
    for each in objects:
        _resolve_imports(each, definitions, diagnostics)
    return objects


def leave_out_unreached(objects: Sequence[LinkedObject]) -> None:
    """Leaves in resolved objects what the kernels of the whole program reach."""
    imported = {symbol: target for each in objects for symbol, target in each.imported.items()}
    for each, program in zip(objects, reach.from_kernels([each.program for each in objects], imported), strict=True):
        each.program = program
        kept = set(program.functions)
        each.wanted = [function for function in each.wanted if function in kept]


def _namespaces(parts: Sequence[tuple[ir.Program, SourceMap]]) -> list[str]:
    taken = set().union(*(program.declared for program, _ in parts))
    found = []
    for number in range(1, len(parts) + 1):
        name = f"object{number}"
        while name in taken:
            name += "_"
        found.append(name)
    return found


# -- symbols ---------------------------------------------------------------------------------------------------------


def _exports(program: ir.Program) -> Iterator[Definition]:
    """What has external linkage and is defined: functions, and variables but for samplers, which are constants of ours."""
    for item in program.items:
        if isinstance(item, ir.FunctionItem) and item.defined and not (item.function.internal or item.function.block):
            yield item.function
        elif isinstance(item, ir.VariableItem) and not (item.variable.static or item.variable.extern or _is_sampler(item.variable)):
            yield item.variable


def _is_sampler(variable: ir.Variable) -> bool:
    return isinstance(variable.type, Opaque) and variable.type.kind == "sampler"


def _key(symbol: ir.Symbol) -> Key:
    """The name by which objects know each other's symbols: overloaded functions by their parameters too."""
    if isinstance(symbol, ir.Function) and symbol.overloaded:
        return (symbol.name, *(str(p.type) for p in symbol.parameters))
    return (symbol.name,)


def _definitions(objects: Sequence[LinkedObject], diagnostics: Diagnostics) -> dict[Key, tuple[LinkedObject, Definition]]:
    found: dict[Key, tuple[LinkedObject, Definition]] = {}
    for each in objects:
        diagnostics.source_line = each.pre.source_line
        for symbol in _exports(each.program):
            first, other = found.setdefault(_key(symbol), (each, symbol))
            if other is not symbol:
                note = _note(diagnostics, first, other, "also defined here")
                diagnostics.error(f"'{symbol.name}' is defined in two of the linked objects", each.pre.locate(symbol.pos), (note,))
    return found


def _note(diagnostics: Diagnostics, where: LinkedObject, symbol: Definition, text: str) -> Diagnostic:
    line, diagnostics.source_line = diagnostics.source_line, where.pre.source_line
    try:
        return diagnostics.make("note", text, where.pre.locate(symbol.pos))
    finally:
        diagnostics.source_line = line


def _resolve_imports(each: LinkedObject, definitions: dict[Key, tuple[LinkedObject, Definition]], diagnostics: Diagnostics) -> None:
    diagnostics.source_line = each.pre.source_line
    targets: dict[ir.Function, ir.Function] = {}
    for symbol, pos in each.program.imports.items():
        assert not isinstance(symbol, ir.Enumerator)
        owner, target = definitions.get(_key(symbol), (each, None))
        if target is None:
            what = "variable" if isinstance(symbol, ir.Variable) else "function"
            diagnostics.error(f"undefined {what} '{symbol.name}': no linked object defines it", each.pre.locate(pos))
        elif isinstance(target, ir.Function) and target.lifted:
            diagnostics.error(f"calling '{target.name}', which uses local variables of its own module, from another one is not supported "
                              "yet by cl2cuda", each.pre.locate(symbol.pos), (_note(diagnostics, owner, target, "defined here"),))
        elif not _same_symbol(symbol, target, signless=each.program.signless or owner.program.signless,
                              tagless=_tagless(each, owner)):
            note = _note(diagnostics, owner, target, "defined here")
            diagnostics.error(f"'{symbol.name}' is declared as {_described(symbol)}, but defined as {_described(target)}",
                              each.pre.locate(symbol.pos), (note,))
        elif isinstance(symbol, ir.Function) and isinstance(target, ir.Function):
            targets[symbol] = target
            _call_from_outside(symbol, owner, target, diagnostics, _tagless(each, owner))
        else:
            assert isinstance(symbol, ir.Variable) and isinstance(target, ir.Variable)
            symbol.cxx_name = f"{owner.namespace}::{target.cxx_name}"
            each.imported[symbol] = target
    for function in each.program.functions:
        for caller in (function, *function.launches):
            caller.callees[:] = [targets.get(callee, callee) for callee in caller.callees]


def _call_from_outside(symbol: ir.Function, owner: LinkedObject, target: ir.Function, diagnostics: Diagnostics, tagless: bool) -> None:
    """Gives the imported function its definition's qualified name; a kernel gets a body that others can call."""
    if target.kernel and not target.body_name:
        target.body_name = f"{target.cxx_name}_body"
        zeros = owner.program.zero_local
        if sum(size_of(v.type) for v in target.local_variables) > ir.static_local_limit(zeros):
            much = "local variables that start as zeros" if zeros else "more than 48 KB of local variables"
            diagnostics.error(f"calling kernel '{target.name}', which declares {much}, from another function is not supported yet by "
                              "cl2cuda", owner.pre.locate(target.pos))
    if target not in owner.wanted:
        owner.wanted.append(target)
    symbol.callees = [target]
    if not _same_symbol(symbol, target, tagless=tagless):
        symbol.defined_as = target
    symbol.cxx_name, symbol.body_name = f"{owner.namespace}::{target.body_name or target.cxx_name}", ""


def _tagless(one: LinkedObject, other: LinkedObject) -> bool:
    """Whether structs of both are told apart by their members alone: in SPIR-V their names are for people."""
    return one.program.signless and other.program.signless


def _same_symbol(symbol: Definition, target: Definition, *, signless: bool = False, tagless: bool = False) -> bool:
    """`signless`: but for the signs of integers; `tagless`: but for the tags of structs."""
    if isinstance(symbol, ir.Variable) and isinstance(target, ir.Variable):
        same = (symbol.space, symbol.const, symbol.volatile) == (target.space, target.const, target.volatile)
    elif isinstance(symbol, ir.Function) and isinstance(target, ir.Function):
        same = len(symbol.parameters) == len(target.parameters) and symbol.kernel == target.kernel
    else:
        return False
    pairs = zip(*([without_signs(type) if signless else type for type in _signature(each)] for each in (symbol, target)), strict=False)
    return same and all(same_type(a, b, tagless=tagless) for a, b in pairs)


def _signature(symbol: Definition) -> list[Type]:
    return [symbol.type] if isinstance(symbol, ir.Variable) else [symbol.result, *(p.type for p in symbol.parameters)]


def _described(symbol: Definition) -> str:
    if isinstance(symbol, ir.Variable):
        return f"'__{symbol.space} {'const ' * symbol.const}{symbol.type}'"
    return f"'{'kernel ' * symbol.kernel}{symbol.result} ({', '.join(str(p.type) for p in symbol.parameters)})'"


# -- types -----------------------------------------------------------------------------------------------------------


def _share_records(objects: Sequence[LinkedObject], definitions: dict[Key, tuple[LinkedObject, Definition]]) -> None:
    """One owner for each struct and union that several objects declare alike: the first that defines it."""
    owners = {item.record: each for each in objects for item in each.program.items if isinstance(item, ir.RecordItem)}
    alike: dict[Record, list[Record]] = {record: [record] for record in owners}
    by_tag: dict[Key, list[Record]] = {}
    for record in owners:
        records = by_tag.setdefault(_tag(record), [])
        _join(alike, next((one for one in records if same_type(one, record)), record), record)
        records.append(record)
    for pair in _passed(objects, definitions):
        _join(alike, *pair)
    number = {record: at for at, record in enumerate(owners)}
    for record, each in owners.items():
        together = sorted(alike[record], key=number.__getitem__)
        definition = next((one for one in together if one.fields is not None), together[0])
        owner = owners[definition]
        if definition is record or (owner is each and not each.program.signless):
            continue
        each.borrowed[record] = f"{owner.namespace}::{definition.name}"
        if objects.index(owner) > objects.index(each) and definition not in owner.announced:
            owner.announced.append(definition)


def _join(alike: dict[Record, list[Record]], one: Record, other: Record) -> None:
    if alike[one] is not alike[other]:
        alike[one] += alike[other]
        for record in alike[other]:
            alike[record] = alike[one]


def _passed(objects: Sequence[LinkedObject], definitions: dict[Key, tuple[LinkedObject, Definition]]) -> Iterator[tuple[Record, Record]]:
    """The structs of an object and of another one's that stand at the same places of what one imports from the other."""
    found: set[tuple[Record, Record]] = set()
    for each in objects:
        for symbol in each.program.imports:
            owner, target = definitions.get(_key(symbol), (each, None))
            if target is not None and not isinstance(symbol, ir.Enumerator) and _tagless(each, owner):
                for a, b in zip(_signature(symbol), _signature(target), strict=False):
                    yield from _records_within(a, b, found)


def _records_within(a: Type, b: Type, found: set[tuple[Record, Record]]) -> Iterator[tuple[Record, Record]]:
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        yield from _records_within(a.pointee, b.pointee, found)
    elif isinstance(a, Array) and isinstance(b, Array):
        yield from _records_within(a.element, b.element, found)
    elif isinstance(a, Record) and isinstance(b, Record) and (a, b) not in found and same_type(a, b, tagless=True):
        found.add((a, b))
        yield a, b
        for x, y in zip(a.fields or (), b.fields or (), strict=False):
            yield from _records_within(x.type, y.type, found)


def _tag(record: Record) -> Key:
    """Those without a tag are told apart by their members alone."""
    return record.kind, "" if record.anonymous else record.name


def without_signs(type: Type) -> Type:
    """The type with unsigned integers in the place of all; structs are as they are."""
    if isinstance(type, Scalar) and type.kind == "int":
        return {1: UCHAR, 2: USHORT, 4: UINT, 8: ULONG}[type.size]
    if isinstance(type, Vector):
        return dataclasses.replace(type, element=without_signs(type.element))  # type: ignore[arg-type]
    if isinstance(type, Pointer):
        return dataclasses.replace(type, pointee=without_signs(type.pointee))
    return dataclasses.replace(type, element=without_signs(type.element)) if isinstance(type, Array) else type


def same_type(a: Type, b: Type, assumed: frozenset[tuple[int, int]] = frozenset(), *, tagless: bool = False) -> bool:
    """C99 6.2.7: compatible types of different translation units. `assumed` holds the pairs being compared already; `tagless` structs
    that have members may have any tag."""
    if isinstance(a, Record) and isinstance(b, Record):
        if _tag(a) != _tag(b) and not (tagless and a.kind == b.kind and a.fields is not None and b.fields is not None):
            return False
        if a is b or (id(a), id(b)) in assumed or a.fields is None or b.fields is None:
            return True
        assumed |= {(id(a), id(b))}
        return (a.packed, a.aligned, len(a.fields)) == (b.packed, b.aligned, len(b.fields)) and all(
            (x.name, x.const, x.volatile, x.align, x.packed) == (y.name, y.const, y.volatile, y.align, y.packed)
            and same_type(x.type, y.type, assumed, tagless=tagless) for x, y in zip(a.fields, b.fields, strict=True))
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        same_place = (a.space, a.const, a.volatile) == (b.space, b.const, b.volatile)
        return same_place and same_type(a.pointee, b.pointee, assumed, tagless=tagless)
    if isinstance(a, Array) and isinstance(b, Array):
        return (a.length == b.length or None in (a.length, b.length)) and same_type(a.element, b.element, assumed, tagless=tagless)
    if isinstance(a, FunctionType) and isinstance(b, FunctionType):
        return len(a.parameters) == len(b.parameters) and same_type(a.result, b.result, assumed) and all(
            same_type(x, y, assumed) for x, y in zip(a.parameters, b.parameters, strict=True))
    return a == b
