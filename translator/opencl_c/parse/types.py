"""Types as they are written: specifiers, declarators, structs, enums and attributes (C99 6.7, OpenCL C 6.7 to 6.9, 6.13).

Owns everything of a declaration but its statement-like whole: what makes up `Specifiers` and `Declarator`, and how a
type is built from the two.
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from .extensions import ExtensionParser
from .tokens import SyntaxFailure
from .tree import Attribute, BlockDecl, Decl, Enum, Struct, TypeOf, Union

_QUALIFIERS = "const volatile restrict global local constant private generic read_only write_only read_write pipe"
_TYPES = "void char short int long float double signed unsigned bool half"
_STORAGE = "static extern typedef register auto"
QUALIFIERS = frozenset(_QUALIFIERS.split())
_ROLES = {
    **dict.fromkeys(QUALIFIERS, "qualifier"),
    **dict.fromkeys(_TYPES.split(), "type"),
    **dict.fromkeys(_STORAGE.split(), "storage"),
    **dict.fromkeys(("kernel", "inline", "noreturn"), "function"),
    **dict.fromkeys(("struct", "union", "enum", "typeof"), "other type"),
    "alignas": "alignment", "attribute": "attribute", "extension": "extension", "complex": "complex",
}  # fmt: skip
_OF_TYPES = frozenset(_ROLES.keys() - {"extension"})
_AFTER_A_DECLARED_NAME = frozenset(("[", "(", ")", ";", ",", "=", "{", "asm", "attribute"))
_SUFFIXES = frozenset(("[", "(", "attribute"))
_VECTOR_ATTRIBUTES = frozenset(("ext_vector_type", "vector_size"))


class Specifiers:
    """What stands before the declarators: `names` of a simple type, or the one `node` of any other."""

    __slots__ = ("align", "attributes", "funcspec", "names", "node", "offset", "quals", "storage", "type_offset")

    def __init__(self, offset: int):
        self.offset = self.type_offset = offset
        self.quals: list[str] = []
        self.storage: list[str] = []
        self.funcspec: list[str] = []
        self.align: list[Any] = []
        self.attributes: list[Attribute] = []
        self.names: list[str] = []
        self.node: Any = None

    def base(self) -> Any:
        """The type itself. Declarators share a struct's node, but not a simple type's."""
        return self.node if self.node is not None else c_ast.IdentifierType(self.names, self.type_offset)


class Declarator:
    """`chain` are the modifiers from the name outwards, not linked yet: `*a[3]` has an ArrayDecl, then a PtrDecl."""

    __slots__ = ("attributes", "chain", "name", "offset")

    def __init__(self, offset: int):
        self.name: str | None = None
        self.offset = offset
        self.chain: list[Any] = []
        self.attributes: list[Attribute] = []

    def type(self, spec: Specifiers) -> Any:
        node: Any = c_ast.TypeDecl(self.name, spec.quals, None, spec.base(), self.offset)
        for modifier in reversed(self.chain):
            modifier.type = node
            node = modifier
        return node


class TypeParser(ExtensionParser):
    def starts_type(self, i: int) -> bool:
        kind = self.kinds[i]
        return self.values[i] in self.types if kind == "id" else kind in _OF_TYPES

    def starts_declaration(self, i: int) -> bool:
        while self.kinds[i] == "extension":
            i += 1
        return self.kinds[i] == "static_assert" or self.starts_type(i)

    # declaration_specifiers: (storage_class | qualifier | function_specifier | attribute | alignas | type_specifier)+
    # type_specifier: keyword+ | typedef_name | struct_or_union | enum | typeof
    def specifiers(self) -> Specifiers:
        spec = Specifiers(self.offsets[self.i])
        while True:
            i = self.i
            kind = self.kinds[i]
            role = _ROLES.get(kind)
            if role is None:
                if kind != "id" or spec.names or spec.node or self.values[i] not in self.types:
                    return spec
                role = "type"
            if spec.node is not None and role not in ("qualifier", "attribute"):
                self.check_ended(spec)
            if role == "qualifier":
                spec.quals.append(kind)
                self.i = i + 1
            elif role == "type":
                if not spec.names:
                    spec.type_offset = self.offsets[i]
                spec.names.append(self.values[i] if kind in ("id", "bool") else kind)
                self.i = i + 1
            else:
                self.rare_specifier(spec, role, kind)

    def rare_specifier(self, spec: Specifiers, role: str, kind: str) -> None:
        if role == "storage":
            spec.storage.append(kind)
            self.i += 1
        elif role == "function":
            spec.funcspec.append("_Noreturn" if kind == "noreturn" else kind)
            self.i += 1
        elif role == "attribute":
            spec.attributes += self.attributes()
        elif role == "other type":
            if spec.names:
                self.fail("cannot combine with previous type specifier")
            spec.type_offset = self.offsets[self.i]
            spec.node = getattr(self, kind + "_specifier")()
        elif role == "alignment":
            spec.align.append(self.alignas())
        elif role == "complex":
            numbers = "imaginary" if self.values[self.i] == "_Imaginary" else "complex"
            self.fail(f"{numbers} numbers ('{self.values[self.i]}') are not supported by cl2cuda")
        else:
            self.i += 1

    def check_ended(self, spec: Specifiers) -> None:
        """A specifier behind a struct's or enum's closing brace: it begins the next declaration, more likely than not."""
        if self.kinds[self.i - 1] == "}" and self.on_new_line():
            self.diagnostics.error(f"expected ';' after {type(spec.node).__name__.lower()}", self.after_previous())
            raise SyntaxFailure
        if _ROLES[self.kinds[self.i]] in ("type", "other type"):
            self.fail("cannot combine with previous type specifier")

    # struct_or_union: ('struct' | 'union') attribute* identifier? ('{' member_declaration* '}' attribute*)?
    def struct_specifier(self) -> Any:
        keyword = self.i
        make = Struct if self.kinds[keyword] == "struct" else Union
        self.i += 1
        attributes = self.attributes()
        name, offset = None, self.offsets[keyword]
        if self.accept("id"):
            name, offset = self.values[self.i - 1], self.offsets[self.i - 1]
        members = None
        if self.kinds[self.i] == "{":
            members = self.members()
            attributes += self.attributes()
        elif name is None:
            self.fail("declaration of anonymous struct must be a definition")
        return make(name, members, offset, attributes)

    union_specifier = struct_specifier

    def members(self) -> list[Any]:
        opening = self.i
        self.i += 1
        members: list[Any] = []
        while self.kinds[self.i] not in ("}", "end"):
            start = self.i
            try:
                self.member_declaration(members)
            except SyntaxFailure:
                self.skip_past_item(start)
        self.close(opening)
        return members

    # member_declaration: specifiers (member (',' member)*)? ';' | static_assert | pragma | ';'
    # member: declarator? (':' constant_expression)? attribute*
    def member_declaration(self, members: list[Any]) -> None:
        if self.accept(";"):
            return
        if self.accept("pragma"):
            members.append(self.pragma())
            return
        if self.kinds[self.i] == "static_assert":
            members.append(self.static_assert())
            return
        spec = self.required_specifiers()
        if self.kinds[self.i] == ";":
            self.i += 1
            base = spec.base()
            members.append(Decl(None, spec.quals, spec.align, [], [], base, None, None, spec.offset, spec.attributes))
            return
        while True:
            declarator = Declarator(self.offsets[self.i]) if self.kinds[self.i] == ":" else self.declarator("named")
            bitsize = self.constant_expression() if self.accept(":") else None
            attributes = spec.attributes + declarator.attributes + self.attributes()
            members.append(
                Decl(
                    declarator.name, spec.quals, spec.align, spec.storage, spec.funcspec,
                    declarator.type(spec), None, bitsize, declarator.offset, attributes,
                )
            )  # fmt: skip
            if not self.accept(","):
                break
        if self.kinds[self.i] == "}":
            self.diagnostics.warning("expected ';' at end of declaration list", self.after_previous())
            return
        self.end_statement("at end of declaration list")

    # enum: 'enum' attribute* identifier? (':' type_name)? ('{' enumerator (',' enumerator)* ','? '}' attribute*)?
    # enumerator: identifier attribute* ('=' constant_expression)?
    def enum_specifier(self) -> Any:
        keyword = self.i
        self.i += 1
        attributes = self.attributes()
        name, offset = None, self.offsets[keyword]
        if self.accept("id"):
            name, offset = self.values[self.i - 1], self.offsets[self.i - 1]
        underlying = None
        if self.kinds[self.i] == ":" and self.starts_type(self.i + 1):  # else it is a bit-field without a name
            self.i += 1
            underlying = self.type_name()
        opening = self.i
        if not self.accept("{"):
            if name is None:
                self.fail("expected identifier or '{'")
            return Enum(name, None, offset, attributes, underlying)
        enumerators: list[Any] = []
        while self.kinds[self.i] != "}":
            place = self.expect("id")
            enumerator = self.values[self.i - 1]
            self.attributes()  # those of enumerators mean nothing in OpenCL C
            value = self.constant_expression() if self.accept("=") else None
            self.declare_name(enumerator)
            enumerators.append(c_ast.Enumerator(enumerator, value, place))
            if not self.accept(","):
                break
        if not enumerators:
            self.fail("use of empty enum")
        self.close(opening)
        attributes += self.attributes()
        return Enum(name, c_ast.EnumeratorList(enumerators, enumerators[0].coord), offset, attributes, underlying)

    # typeof: 'typeof' '(' (type_name | expression) ')'
    def typeof_specifier(self) -> Any:
        keyword = self.i
        self.i += 1
        self.expect("(", "expected '(' after 'typeof'")
        operand = self.type_name() if self.starts_type(self.i) else self.expression()
        self.close(keyword + 1)
        return TypeOf(operand, self.offsets[keyword])

    # alignas: '_Alignas' '(' (type_name | constant_expression) ')'
    def alignas(self) -> Any:
        keyword = self.i
        self.i += 1
        self.expect("(", "expected '(' after '_Alignas'")
        operand = self.type_name() if self.starts_type(self.i) else self.constant_expression()
        self.close(keyword + 1)
        return c_ast.Alignas(operand, self.offsets[keyword])

    def required_specifiers(self, *, naming: bool = True) -> Specifiers:
        """Specifiers that must name a type; an unknown name where a type belongs is reported and taken for one.

        `naming`: a name may follow. Specifiers without a type are those of an int before C99, and with clang still.
        """
        spec = self.specifiers()
        if not spec.names and spec.node is None:
            i = self.i
            without_type = self.kinds[i] != "id" or (naming and self.kinds[i + 1] in _AFTER_A_DECLARED_NAME)
            if without_type and spec.offset != self.offsets[i]:
                if "pipe" in spec.quals:
                    self.fail("missing actual type specifier for pipe")
                if self.kinds[i] != ";":
                    self.implicit_int(spec.offset)
                    spec.names = ["int"]
            elif self.kinds[i] == "id" and (self.kinds[i + 1] in ("id", "*", "^", ")") or self.starts_type(i + 1)):
                self.unknown_type(i)
                self.i += 1
                if not self.starts_type(i + 1):
                    spec.names, spec.type_offset = ["int"], self.offsets[i]
                else:
                    spec = self.required_specifiers()
            else:
                self.fail(f"unknown type name '{self.values[i]}'" if self.kinds[i] == "id" else "expected a type")
        return spec

    def implicit_int(self, offset: int) -> None:
        self.diagnostics.warning("type specifier missing, defaults to 'int'", self.pre.locate(offset))

    # declarator: pointer* direct_declarator
    # pointer: ('*' | '^') (qualifier | attribute)*
    # direct_declarator: (identifier | '(' declarator ')')? suffix*
    def declarator(self, naming: str) -> Declarator:
        """`naming`: "named", "abstract" or "either"."""
        declarator = Declarator(self.offsets[self.i])
        pointers: list[Any] = []
        while (kind := self.kinds[self.i]) in ("*", "^"):
            place = self.offsets[self.i]
            self.i += 1
            quals: list[str] = []
            while (word := self.kinds[self.i]) in QUALIFIERS or word == "attribute":
                if word == "attribute":
                    declarator.attributes += self.attributes()
                else:
                    quals.append(word)
                    self.i += 1
            pointers.append((c_ast.PtrDecl if kind == "*" else BlockDecl)(quals, None, place))
        self.direct_declarator(declarator, naming)
        declarator.chain += reversed(pointers)
        return declarator

    def direct_declarator(self, declarator: Declarator, naming: str) -> None:
        i = self.i
        kind = self.kinds[i]
        if kind == "id" and naming != "abstract":
            self.i = i + 1
            declarator.name, declarator.offset = self.values[i], self.offsets[i]
            if self.kinds[i + 1] not in _SUFFIXES:
                return
        elif kind == "(" and not (naming != "named" and (self.kinds[i + 1] == ")" or self.starts_type(i + 1))):
            self.i = i + 1
            attributes = self.attributes()
            inner = self.declarator(naming)
            self.close(i)
            declarator.name, declarator.offset, declarator.chain = inner.name, inner.offset, inner.chain
            declarator.attributes += attributes + inner.attributes
        elif naming == "named":
            self.fail("expected identifier or '('")
        while (kind := self.kinds[self.i]) in _SUFFIXES:
            if kind == "[":
                declarator.chain.append(self.array_suffix(declarator.offset))
            elif kind == "(":
                declarator.chain.append(self.function_suffix(declarator.offset))
            else:
                declarator.attributes += self.attributes()

    # array_suffix: '[' ('static' | qualifier)* (assignment_expression | '*')? ']'
    def array_suffix(self, offset: int) -> Any:
        opening = self.i
        self.i += 1
        quals: list[str] = []
        while (kind := self.kinds[self.i]) in QUALIFIERS or kind == "static":
            quals.append(kind)
            self.i += 1
        dim = None
        if kind == "*" and self.kinds[self.i + 1] == "]":
            dim = c_ast.ID("*", self.offsets[self.i])
            self.i += 1
        elif kind != "]":
            dim = self.assignment()
        self.close(opening)
        return c_ast.ArrayDecl(None, dim, quals, offset)

    # function_suffix: '(' (parameter (',' parameter)* (',' '...')? | identifier (',' identifier)*)? ')'
    def function_suffix(self, offset: int) -> Any:
        opening = self.i
        self.i += 1
        if self.accept(")"):
            return c_ast.FuncDecl(None, None, offset)
        if self.lists_names(self.i):
            self.untyped = self.names_of_parameters(offset)
            return self.untyped
        params: list[Any] = []
        self.open_scope()
        while True:
            if params and self.kinds[self.i] == "...":
                params.append(c_ast.EllipsisParam(self.offsets[self.i]))
                self.i += 1
                break
            params.append(self.parameter())
            if not self.accept(","):
                break
        self.close_scope()
        self.close(opening)
        return c_ast.FuncDecl(c_ast.ParamList(params, params[0].coord), None, offset)

    def lists_names(self, i: int) -> bool:
        """Whether a definition's parameters have their types behind the parentheses (C99 6.9.1), or none."""
        while self.kinds[i] == "id" and self.values[i] not in self.types:
            if self.kinds[i + 1] == ")":
                return self.kinds[i + 2] == "{" or self.starts_type(i + 2)
            if self.kinds[i + 1] != ",":
                return False
            i += 2
        return False

    def names_of_parameters(self, offset: int) -> Any:
        params: list[Any] = []
        while not params or self.accept(","):
            place = self.offsets[self.i]
            type = c_ast.TypeDecl(self.values[self.i], [], None, c_ast.IdentifierType(["int"], place), place)
            params.append(Decl(self.values[self.i], [], [], [], [], type, None, None, place, []))
            self.i += 1
        self.expect(")")
        return c_ast.FuncDecl(c_ast.ParamList(params, params[0].coord), None, offset)

    # parameter: specifiers (declarator | abstract_declarator)? attribute*
    def parameter(self) -> Any:
        spec = self.parameter_specifiers()
        declarator = self.declarator("either")
        attributes = spec.attributes + declarator.attributes
        typ = declarator.type(spec)
        if declarator.name is None:
            return c_ast.Typename(None, spec.quals, None, typ, spec.offset)
        self.declare_name(declarator.name)
        return Decl(
            declarator.name, spec.quals, spec.align, spec.storage, spec.funcspec, typ, None, None, declarator.offset, attributes
        )

    def parameter_specifiers(self) -> Specifiers:
        i = self.i
        if self.kinds[i] == "id" and self.kinds[i + 1] in (",", ")") and self.values[i] not in self.types:
            self.unknown_type(i)
            self.i += 1
            spec = Specifiers(self.offsets[i])
            spec.names = ["int"]
            return spec
        if self.kinds[i] in (",", ")"):
            self.fail("expected parameter declarator")
        return self.required_specifiers()

    # type_name: specifiers abstract_declarator?
    def type_name(self) -> Any:
        spec = self.required_specifiers(naming=False)
        declarator = self.declarator("abstract")
        return c_ast.Typename(None, spec.quals, None, declarator.type(spec), spec.offset)

    def names_vector(self, spec: Specifiers, declarator: Declarator, attributes: list[Attribute]) -> bool:
        """Whether a typedef of these is one of a vector."""
        if any(attribute.name in _VECTOR_ATTRIBUTES for attribute in attributes):
            return True
        return not declarator.chain and bool(spec.names) and self.types.get(spec.names[-1], False)
