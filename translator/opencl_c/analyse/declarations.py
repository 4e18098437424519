"""Declarations (specification 6.3, 6.7 to 6.11): from the tree's declarators to types, variables and records."""

from __future__ import annotations

from pycparser import c_ast

from ...ir import nodes as ir
from ...ir.constants import folded_value
from ...ir.names import cxx_name
from ...ir.types import (
    BOOL,
    BUILTIN_TYPES,
    DOUBLE,
    HALF,
    INT,
    SCALARS,
    UINT,
    WIDTHS,
    Array,
    BlockType,
    Field,
    FunctionType,
    Opaque,
    Pointer,
    Record,
    Scalar,
    Type,
    Vector,
    Void,
    aliased,
    align_of,
    size_of,
)  # fmt: skip
from ..attribute_names import plain
from ..parse import tree
from . import attributes, enumerations
from .scope import EnumTag, Invalid, Qualified, Unit
from .unaligned import less_alignment

SPACES = frozenset(("global", "local", "constant", "private", "generic"))
_NOT_QUALIFIERS_ONLY = frozenset(("read_only", "write_only", "read_write", "pipe"))  # which say what the type is
_MODES = {"int": {"QI": 1, "byte": 1, "HI": 2, "SI": 4, "DI": 8, "word": 8, "pointer": 8}, "float": {"SF": 4, "DF": 8}}
# The types of one word that every program may name.
_ALWAYS = {name: Qualified(type) for name, type in BUILTIN_TYPES.items() if isinstance(type, Scalar) and type not in (HALF, DOUBLE)}
_SIGNED_WORDS = {"signed", "__signed", "__signed__"}
_SIGN_WORDS = {*_SIGNED_WORDS, "unsigned"}


def _plain_scalar(words: list[str]) -> Type | None:
    """The scalar that C's specifier words spell in any order: `unsigned long int`."""
    rest = [w for w in words if w not in _SIGN_WORDS]
    unsigned = "unsigned" in words
    if unsigned and not _SIGNED_WORDS.isdisjoint(words):
        return None
    if len(rest) > 1 and "int" in rest:
        rest.remove("int")
    if rest == ["long", "long"]:
        rest = ["long"]
    if len(rest) > 1:
        return None
    name = rest[0] if rest else "int"
    if name == "_Bool":
        name = "bool"
    if name in ("char", "short", "int", "long"):
        return SCALARS["u" + name if unsigned else name]
    return None if len(words) > 1 else BUILTIN_TYPES.get(name)


def _spelled(node: c_ast.Node, type: Type) -> str:
    """The name of a parameter's type as it is written, where the type itself does not tell it, else "": a struct may have several, and
    what an enumeration is made of does not know whose integer it is."""
    stars = ""
    while isinstance(type, Pointer) and type.alias is None:
        type, stars = type.pointee, stars + "*"
    while isinstance(node, (c_ast.PtrDecl, c_ast.ArrayDecl, c_ast.TypeDecl, c_ast.Typename)):
        node = node.type
    if isinstance(node, (c_ast.Struct, c_ast.Union, c_ast.Enum)) and node.name:
        return f"{node.__class__.__name__.lower()} {node.name}{stars}"
    return node.names[0] + stars if isinstance(type, Record) and isinstance(node, c_ast.IdentifierType) else ""


class Declarations:
    def __init__(self, unit: Unit):
        self.unit = unit
        dialect = unit.dialect
        generic = 200 <= dialect.version < 300 or (dialect.version >= 300 and "__opencl_c_generic_address_space" in dialect.features)
        self.default_space = "generic" if generic else "private"
        self._defined: dict[c_ast.Node, Type] = {}  # the declarators of one declaration share the node of its struct or enum

    # -- specifiers --------------------------------------------------------------------------------------------------

    def specifier(self, node: c_ast.Node) -> Qualified:
        """type-specifier: words, struct, union, enum, typedef name, typeof."""
        if isinstance(node, c_ast.IdentifierType):
            return self._named(node)
        if isinstance(node, (c_ast.Struct, c_ast.Union, c_ast.Enum)):
            if node not in self._defined:
                self._defined[node] = self.enum(node) if isinstance(node, c_ast.Enum) else self.record(node)
            return Qualified(self._defined[node])
        if isinstance(node, tree.TypeOf):
            of = node.expr
            if isinstance(of, c_ast.Typename):
                return self.qualified(of.type)
            return Qualified(self.unit.expressions.analyse(of).type)
        if isinstance(node, tree.Analysed):
            return Qualified(node.expression.type)
        raise self.unit.fail(node.coord, "this type specifier is not supported yet by cl2cuda")

    def _named(self, node: c_ast.IdentifierType) -> Qualified:
        words = node.names
        if len(words) == 1:
            found = self.unit.scope.find(words[0])
            if isinstance(found, Qualified):
                return found
            if words[0] in _ALWAYS:
                return _ALWAYS[words[0]]
            if words[0] in BUILTIN_TYPES:
                type = BUILTIN_TYPES[words[0]]
                self.unit.restrictions.check_type(type, node.coord)
                return Qualified(type)
        type = _plain_scalar(list(words))  # type: ignore[assignment]
        if type is None:
            spelled = " ".join(words)
            raise self.unit.fail(node.coord, f"'{spelled}' is no type: these specifiers cannot be combined" if len(words) > 1
                                 else f"unknown type name '{spelled}'")
        return Qualified(type)

    def record(self, node: c_ast.Struct | c_ast.Union) -> Record:
        unit = self.unit
        kind = "struct" if isinstance(node, c_ast.Struct) else "union"
        record: Record | None = None
        if node.name is not None:
            found = unit.scope.tags.get(node.name) if node.decls is not None else unit.scope.find_tag(node.name)
            if isinstance(found, EnumTag) or (isinstance(found, Record) and found.kind != kind):
                raise unit.fail(node.coord, f"use of '{node.name}' with tag type that does not match previous declaration")
            record = found
        if record is None:
            record = Record(kind, cxx_name(node.name) if node.name else "", anonymous=not node.name)  # type: ignore[arg-type]
            if isinstance(unit.scope.names.get(node.name), Qualified):
                record.name += "_"  # a typedef has the name, which C++ does not keep apart from tags
            if node.name is not None:
                hidden = unit.scope.find_tag(node.name)
                if isinstance(hidden, Record):  # which what is of its type may be converted to all the same
                    record.name = hidden.name + "_"
                    while record.name in unit.declared:
                        record.name += "_"
                unit.scope.tags[node.name] = record
                unit.declared.add(node.name)
                if node.decls is None:
                    unit.pending_items.append(ir.RecordItem(record, node.coord, False))
        if node.decls is not None:
            if record.fields is not None:
                raise unit.fail(node.coord, f"redefinition of '{node.name}'")
            self._fields(record, node)
        return record

    def _fields(self, record: Record, node: c_ast.Struct | c_ast.Union) -> None:
        unit = self.unit
        attributes.check(unit, node)
        for attribute in getattr(node, "attributes", None) or ():
            self._record_attribute(record, attribute)
        fields: list[Field] = []
        seen: set[str] = set()
        limit = unit.pragmas.pack
        for decl in node.decls:
            if isinstance(decl, c_ast.Pragma):
                unit.pragmas.apply(decl)
            if not isinstance(decl, c_ast.Decl):
                continue
            attributes.check(unit, decl)
            q = self.qualified(decl.type)
            if q.space not in (None, "private"):
                raise unit.fail(decl.coord, "field may not be qualified with an address space")
            if isinstance(q.type, BlockType):
                raise unit.fail(decl.coord, f"'{q.type}' type cannot be used to declare a structure or union field in OpenCL")
            if isinstance(q.type, (FunctionType, Void)) or (isinstance(q.type, Record) and q.type.fields is None):
                raise unit.fail(decl.coord, f"field has incomplete or invalid type '{q.type}'")
            unit.restrictions.check_field(q.type, decl.coord)
            if isinstance(q.type, Array) and q.type.length is None:
                unit.restrictions.check_flexible_field(record, decl.name, decl.coord, first=not fields, last=decl is node.decls[-1])
            if decl.name is not None and decl.name in seen:
                raise unit.fail(decl.coord, f"duplicate member '{decl.name}'")
            seen.add(decl.name)
            if decl.name is None:
                if isinstance(q.type, Record) and not q.type.name:
                    # An anonymous member: printed inside its struct, so no item of its own.
                    unit.pending_items = [i for i in unit.pending_items if not (isinstance(i, ir.RecordItem) and i.record is q.type)]
                elif decl.bitsize is None:
                    unit.warning(decl.coord, "declaration does not declare anything")
                    continue
            if decl.bitsize is not None:
                raise unit.fail(decl.coord, "bit-fields are not supported in OpenCL")
            name = cxx_name(decl.name) if decl.name else None
            packed = unaligned = any(each.name == "packed" for each in getattr(decl, "attributes", None) or ())
            # A typedef's alignment is one of the type, which packing takes away.
            packed = packed or less_alignment(q) is not None
            align = max(self.alignment(decl) or 0, 0 if unaligned or record.packed else q.aligned or 0) or None
            if limit is not None and max(1 if packed or record.packed else align_of(q.type), align or 1) > limit:
                packed, align = True, limit if limit > 1 else None
            fields.append(Field(name, q.type, q.const, q.volatile, align, decl.coord, packed))
        record.fields = fields
        # In C++ a member hides the types of its name, and cannot have its class's.
        unit.objects.update(field.name for field in fields if field.name)
        if any(field.name == record.name for field in fields):
            record.name += "_"
        if not record.name:
            record.name = ""
        unit.pending_items.append(ir.RecordItem(record, node.coord, True))

    def _record_attribute(self, record: Record, attribute: tree.Attribute) -> None:
        if attribute.name == "packed":
            record.packed = True
        elif attribute.name == "aligned":
            record.aligned = self._aligned_value(attribute)

    def _aligned_value(self, attribute: tree.Attribute) -> int:
        if not attribute.args:
            return 16
        value = folded_value(self.unit.expressions.analyse(attribute.args[0]))
        if value is None:
            raise self.unit.fail(attribute.coord, "'aligned' attribute requires an integer constant")
        if value <= 0 or value & (value - 1):
            raise self.unit.fail(attribute.coord, "requested alignment is not a power of 2")
        return value

    def alignment(self, decl: c_ast.Node) -> int | None:
        for attribute in getattr(decl, "attributes", None) or ():
            if attribute.name == "aligned":
                return self._aligned_value(attribute)
        return None

    def enum(self, node: c_ast.Enum) -> Type:
        unit = self.unit
        if node.values is None:
            return self._enum_tag(node).type
        enumerators: list[ir.Enumerator] = []
        value, of_value = -1, INT
        for each in node.values.enumerators:
            if each.value is None:
                value, of_value = enumerations.following(value, of_value)
            else:
                expression = unit.expressions.analyse(each.value)
                given = folded_value(expression)
                if given is None:
                    raise unit.fail(each.coord, "expression is not an integer constant expression")
                assert isinstance(expression.type, Scalar)
                value, of_value = given, enumerations.within_definition(given, expression.type)
            if isinstance(unit.scope.names.get(each.name), ir.Enumerator):
                raise unit.fail(each.coord, f"redefinition of enumerator '{each.name}'")
            if each.name in unit.scope.names:
                raise unit.fail(each.coord, f"redefinition of '{each.name}'")
            enumerator = ir.Enumerator(each.name, value, of_value, cxx_name(each.name))
            enumerators.append(enumerator)
            unit.declare(each.name, enumerator)
        packed = any(attribute.name == "packed" for attribute in getattr(node, "attributes", None) or ())
        type = enumerations.given(enumerators, fixed) if (fixed := self._underlying(node)) else enumerations.settle(enumerators, packed)
        if node.name:
            unit.scope.tags[node.name] = EnumTag(node.name, type)
        unit.pending_items.append(ir.EnumItem(node.name, enumerators, type, node.coord))
        return type

    def _enum_tag(self, node: c_ast.Enum) -> EnumTag:
        """What `enum name` names. One that is defined later, which GNU C allows, is of the type that most are."""
        found = self.unit.scope.find_tag(node.name)
        if found is None:
            found = self.unit.scope.tags[node.name] = EnumTag(node.name, self._underlying(node) or UINT)
        if not isinstance(found, EnumTag):
            raise self.unit.fail(node.coord, f"use of '{node.name}' with tag type that does not match previous declaration")
        return found

    def _underlying(self, node: c_ast.Enum) -> Scalar | None:
        """The type that C23's `enum name : type` gives."""
        if getattr(node, "underlying", None) is None:
            return None
        type = self.type_name(node.underlying)
        if not isinstance(type, Scalar) or type.kind != "int":
            raise self.unit.fail(node.coord, f"non-integral type '{type}' is an invalid underlying type")
        return type

    # -- declarators -------------------------------------------------------------------------------------------------

    def qualified(self, node: c_ast.Node) -> Qualified:
        """The type that a declarator, abstract or not, gives its object."""
        if isinstance(node, c_ast.TypeDecl):
            base = self.specifier(node.type)
            if not node.quals and not isinstance(base.type, Opaque):
                return base
            named, type = self._space(node.quals, node.coord), base.type
            if named and base.space not in (None, named):
                raise self.unit.fail(node.coord, "multiple address spaces specified for type")
            if named and base.space:
                self.unit.warning(node.coord, "multiple identical address spaces specified for type")
            space = named or base.space
            if isinstance(type, Opaque) or not _NOT_QUALIFIERS_ONLY.isdisjoint(node.quals):
                type = self.unit.restrictions.with_access(type, node.quals, node.coord)
            if "restrict" in node.quals and not isinstance(type, Pointer):  # 6.11.q
                self.unit.error(node.coord, f"restrict requires a pointer ('{type}' is invalid)")
            return Qualified(type, base.const or "const" in node.quals, base.volatile or "volatile" in node.quals, space,
                             base.restrict or "restrict" in node.quals, base.aligned)
        if isinstance(node, tree.BlockDecl):
            return self.unit.blocks.type(node)
        if isinstance(node, c_ast.PtrDecl):
            inner = self.qualified(node.type)
            if isinstance(inner.type, BlockType):
                raise self.unit.fail(node.coord, "pointer to block type is not allowed")
            self.unit.restrictions.check_pointee(inner.type, node.coord)
            space = inner.space or ("private" if isinstance(inner.type, FunctionType) else self.default_space)
            pointer = Pointer(inner.type, space, inner.const or space == "constant", inner.volatile, "restrict" in node.quals,  # type: ignore[arg-type]
                              aligned=less_alignment(inner))
            return Qualified(pointer, "const" in node.quals, "volatile" in node.quals, self._space(node.quals, node.coord),
                             "restrict" in node.quals)
        if isinstance(node, c_ast.ArrayDecl):
            return self._array(node)
        if isinstance(node, c_ast.FuncDecl):
            result = self.qualified(node.type)
            if isinstance(result.type, (BlockType, Array, FunctionType)):
                raise self.unit.fail(node.coord, f"declaring function return value of type '{result.type}' is not allowed")
            parameters, variadic = self.parameters(node)
            if variadic:
                raise Invalid  # which has been reported
            return Qualified(FunctionType(result.type, tuple(p.type for p in parameters), variadic))
        if isinstance(node, c_ast.Typename):
            return self.qualified(node.type)
        return self.specifier(node)

    def _space(self, quals: list[str], coord: int) -> str | None:
        spaces = SPACES.intersection(quals)
        if not spaces:
            return None
        # 6.7 reserves the name for future use; clang lets it name the space all the same, and programs do.
        if "generic" in spaces and self.default_space != "generic":
            raise self.unit.fail(coord, "the generic address space needs OpenCL C 2.0, or 3.0 with its feature")
        if len(spaces) > 1:
            raise self.unit.fail(coord, "multiple address spaces specified for type")
        return next(iter(spaces), None)

    def _array(self, node: c_ast.ArrayDecl) -> Qualified:
        inner = self.qualified(node.type)
        if isinstance(inner.type, BlockType):
            raise self.unit.fail(node.coord, f"array of '{inner.type}' type is invalid in OpenCL")
        if isinstance(inner.type, Array) and inner.type.length is None:
            raise self.unit.fail(node.coord, f"array has incomplete element type '{inner.type}'")
        if isinstance(inner.type, (FunctionType, Void)):
            raise self.unit.fail(node.coord, f"array has invalid element type '{inner.type}'")
        self.unit.restrictions.check_element(inner.type, node.coord)
        self.unit.restrictions.check_qualifiers(inner, node.coord)
        length = None
        if node.dim is not None:
            length = folded_value(self.unit.expressions.analyse(node.dim))
            if length is None:
                raise self.unit.fail(node.coord, "variable length arrays are not supported in OpenCL")
            if length < 0:
                raise self.unit.fail(node.coord, "array size is negative")
        return Qualified(Array(inner.type, length, inner.const, inner.volatile), inner.const, inner.volatile, inner.space,
                         aligned=less_alignment(inner))

    def parameters(self, node: c_ast.FuncDecl) -> tuple[list[ir.Variable], bool]:
        """parameter-type-list; arrays become pointers (C99 6.7.5.3)."""
        found: list[ir.Variable] = []
        for each in node.args.params if node.args else ():
            if isinstance(each, c_ast.EllipsisParam):
                self.unit.error(each.coord, "functions with variable numbers of arguments are not supported in OpenCL")
                return found, True
            q = self.qualified(each.type)
            if isinstance(q.type, Void) and len(node.args.params) == 1 and not getattr(each, "name", None):
                break
            type, own = q.type, q
            if isinstance(type, Array):
                space = q.space or self.default_space
                # The pointer's own qualifiers stand in the brackets.
                quals = each.type.dim_quals if isinstance(each.type, c_ast.ArrayDecl) else []
                own = Qualified(type, "const" in quals, "volatile" in quals, None, "restrict" in quals)
                type = Pointer(type.element, space, q.const or space == "constant", q.volatile,  # type: ignore[arg-type]
                               aligned=less_alignment(q))
            elif isinstance(type, Void) or (isinstance(type, Record) and type.fields is None):
                raise self.unit.fail(each.coord, f"argument may not have '{type}' type")
            elif q.space not in (None, "private"):
                self.unit.error(each.coord, "parameter may not be qualified with an address space")
            attributes.check(self.unit, each)
            self.unit.restrictions.check_parameter(q, type, each.coord)
            self.unit.restrictions.check_storage_class(getattr(each, "storage", None) or [], each.coord)
            name = getattr(each, "name", None) or ""
            found.append(ir.Variable(name, type, "private", each.coord, own.const, own.volatile,
                                     scope="parameter", cxx_name=cxx_name(name), restrict=own.restrict,
                                     type_name=_spelled(each.type, type)))
        return found, False

    def type_name(self, node: c_ast.Node) -> Type:
        """type-name: of a cast, sizeof, a compound literal."""
        return self.qualified(node.type if isinstance(node, c_ast.Typename) else node).type

    # -- typedefs ----------------------------------------------------------------------------------------------------

    def typedef(self, node: c_ast.Typedef) -> list[ir.Item]:
        unit = self.unit
        q = self.qualified(node.type)
        type = q.type
        attributes.check(unit, node)
        aligned = q.aligned
        for attribute in getattr(node, "attributes", None) or ():
            if attribute.name == "ext_vector_type":
                width = folded_value(unit.expressions.analyse(attribute.args[0]))
                if not isinstance(type, Scalar) or type == BOOL or width not in WIDTHS:
                    raise unit.fail(attribute.coord, "ext_vector_type needs a scalar type, not bool, and 2, 3, 4, 8 or 16 components")
                type = Vector(type, width)
            elif attribute.name == "mode":
                type = self._of_mode(type, attribute)
            elif attribute.name == "packed":  # behind the name, or before `struct`
                unit.warning(attribute.coord, "'packed' attribute ignored")
            elif attribute.name == "vector_size":
                size = folded_value(unit.expressions.analyse(attribute.args[0]))
                if not isinstance(type, Scalar) or type == BOOL or size is None or size // type.size not in WIDTHS:
                    raise unit.fail(attribute.coord, "vector_size needs a scalar type, not bool, and the size of 2, 3, 4, 8 or 16")
                type = Vector(type, size // type.size)
            elif attribute.name == "aligned":
                aligned = self._aligned_value(attribute)
                if isinstance(type, Record) and type.anonymous and aligned >= align_of(type) and size_of(type) % aligned == 0:
                    type.aligned = aligned  # nothing else names the record, and it lies no otherwise: let compilers know
        name = cxx_name(node.name)
        if unit.scope.tags.get(node.name) not in (None, type):
            name += "_"
        items = self.take_items()
        self._check_repeated(node, type)
        if isinstance(type, Record) and not type.name and type.find(name) is None:
            # `typedef struct {…} name;`: in C++ the struct itself carries the name.
            type.name = type.alias = name
            unit.declare(node.name, Qualified(type, q.const, q.volatile, q.space, aligned=aligned))
            return items
        unit.restrictions.note_typedef(name, type)
        # A struct has no name that only a part of its scope knows.
        known = not isinstance(type, Record) or unit.function is None or type in unit.scope.tags.values()
        named = aliased(type, name) if known else type
        unit.declare(node.name, Qualified(named, q.const, q.volatile, q.space, q.restrict, aligned=aligned))
        if isinstance(type, Record) and type.name == name:
            return items
        if isinstance(type, BlockType):
            return items  # C++ has no name for it
        if isinstance(type, (Scalar, Vector)) and str(type) == node.name:
            return items  # `typedef unsigned int uint;` says what OpenCL says already
        return [*items, ir.TypedefItem(name, type, node.coord)]

    def _of_mode(self, type: Type, attribute: tree.Attribute) -> Type:
        """GNU C's `mode(DI)`: the type of the same kind and that size."""
        mode = plain(attribute.args[0].name) if attribute.args and isinstance(attribute.args[0], c_ast.ID) else ""
        for each in SCALARS.values():
            kind = isinstance(type, Scalar) and each.kind == type.kind and (each.kind == "float" or each.signed == type.signed)
            if kind and each.size == _MODES.get(each.kind, {}).get(mode):
                return each
        raise self.unit.fail(attribute.coord, f"mode '{mode}' is not one of type '{type}'")

    def _check_repeated(self, node: c_ast.Typedef, type: Type) -> None:
        """A typedef may be repeated, one of the language's own too, but not with another type."""
        scope, name = self.unit.scope, node.name
        previous = scope.names.get(name)
        if previous is None and scope is self.unit.program_scope and name in BUILTIN_TYPES:
            previous = Qualified(BUILTIN_TYPES[name])
        if previous is not None and not isinstance(previous, Qualified):
            raise self.unit.fail(node.coord, f"redefinition of '{name}' as different kind of symbol")
        if previous is not None and previous.type != type:
            shown = f"{type.kind} {name}" if isinstance(type, Record) and not type.name else type  # which the typedef was to name
            raise self.unit.fail(node.coord, f"typedef redefinition of '{name}' with different types ('{shown}' and '{previous.type}')")

    def take_items(self) -> list[ir.Item]:
        """The types that the last declaration defined on its way; those without a name get one."""
        items, self.unit.pending_items = self.unit.pending_items, []
        return items

    def name_records(self, items: list[ir.Item]) -> None:
        for item in items:
            if isinstance(item, ir.RecordItem) and not item.record.name:
                item.record.name = self.unit.anonymous_name(item.record.kind)
