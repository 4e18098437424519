"""Statements, declarations as wholes, and block literals (C99 6.7, 6.8; OpenCL C 6.14)."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from .tokens import SyntaxFailure
from .tree import Attribute, AttributeStatement, BlockLiteral, CaseRange, Decl, DoWhile, For, Typedef, While
from .types import Declarator, Specifiers, TypeParser

_LABELS = frozenset(("case", "default"))


class StatementParser(TypeParser):
    # declaration: specifiers (init_declarator (',' init_declarator)*)? ';' | static_assert
    def declaration(self) -> list[Any]:
        while self.accept("extension"):
            pass
        if self.kinds[self.i] == "static_assert":
            return [self.static_assert()]
        spec = self.required_specifiers()
        if self.kinds[self.i] == ";":
            self.i += 1
            return self.bare_declaration(spec)
        declarator = self.declarator("named")
        if self.kinds[self.i] == "{" and declarator.chain and isinstance(declarator.chain[0], c_ast.FuncDecl):
            self.fail("function definition is not allowed here")
        decls = self.declarators(spec, declarator)
        self.end_statement("at end of declaration")
        return decls

    def bare_declaration(self, spec: Specifiers) -> list[Any]:
        """`struct S { … };`, or specifiers that declare nothing."""
        if spec.node is None:
            self.diagnostics.warning("declaration does not declare anything", self.pre.locate(spec.offset))
            return []
        attributes = spec.attributes
        return [Decl(None, spec.quals, spec.align, spec.storage, spec.funcspec, spec.node, None, None, spec.node.coord, attributes)]

    # init_declarator: declarator asm_label? attribute* ('=' initializer)?
    def declarators(self, spec: Specifiers, declarator: Declarator) -> list[Any]:
        """The rest of a declaration from its first declarator on, which is parsed already."""
        decls: list[Any] = []
        while True:
            if self.accept("asm"):  # a name for the linker, which means nothing to us
                opening = self.i
                self.expect("(")
                self.string_literal()
                self.close(opening)
            attributes = spec.attributes + declarator.attributes
            if self.kinds[self.i] == "attribute":
                attributes += self.attributes()
            decls.append(self.declared(spec, declarator, attributes))
            if self.accept("="):
                initializer = self.initializer()
                if isinstance(decls[-1], Typedef):
                    self.error("illegal initializer (only variables can be initialized)", declarator.offset)
                else:
                    decls[-1].init = initializer
            if not self.accept(","):
                return decls
            attributes = self.attributes()
            declarator = self.declarator("named")
            declarator.attributes += attributes

    def declared(self, spec: Specifiers, declarator: Declarator, attributes: list[Attribute]) -> Any:
        """One Decl or Typedef, its name put into scope."""
        name = declarator.name
        assert name is not None
        if "typedef" in spec.storage:
            self.declare_type(name, self.names_vector(spec, declarator, attributes))
            return Typedef(name, spec.quals, spec.storage, declarator.type(spec), declarator.offset, attributes)
        self.declare_name(name)
        return Decl(
            name, spec.quals, spec.align, spec.storage, spec.funcspec,
            declarator.type(spec), None, None, declarator.offset, attributes,
        )  # fmt: skip

    # compound_statement: '{' block_item* '}'
    def compound(self, *, new_scope: bool = True) -> Any:
        opening = self.i
        self.expect("{")
        if new_scope:
            self.open_scope()
        self.block_labels.append({})
        items: list[Any] = []
        while self.kinds[self.i] not in ("}", "end"):
            start = self.i
            try:
                self.block_item(items)
            except SyntaxFailure:
                self.skip_past_item(start)
                if self.i == start:
                    self.i += 1
        if new_scope:
            self.close_scope()
        self.block_labels.pop()
        self.close(opening)
        return c_ast.Compound(items or None, self.offsets[opening])

    # block_item: declaration | statement
    def block_item(self, items: list[Any]) -> None:
        i = self.i
        kind = self.kinds[i]
        if kind == "id":
            following = self.kinds[i + 1]
            if following != ":" and self.values[i] in self.types:
                items += self.declaration()
                return
            if self.values[i] == "__block":
                self.fail("the __block storage type is not permitted")
            if self.values[i] == "__label__":
                self.local_labels()
                return
            if following == "id":
                items += self.declaration()
                return
        elif kind == "attribute":
            attributes = self.attributes()
            if self.starts_declaration(self.i):
                self.attributed_declaration(items, attributes)
            else:
                items.append(self.attributed_statement(attributes, i))
            return
        elif kind not in _STATEMENTS and self.starts_declaration(i):
            items += self.declaration()
            return
        items.append(self.statement())

    # local_labels: '__label__' identifier (',' identifier)* ';'
    def local_labels(self) -> None:
        """GNU C's labels of a block: what jumps from within it, or stands there, means its own."""
        self.i += 1
        while True:
            offset = self.expect("id")
            self.block_labels[-1][self.values[self.i - 1]] = f"{self.values[self.i - 1]}_{offset}"
            if not self.accept(","):
                break
        self.end_statement("after label declaration")

    def label_name(self, written: str) -> str:
        return next((labels[written] for labels in reversed(self.block_labels) if written in labels), written)

    def attributed_declaration(self, items: list[Any], attributes: list[Attribute]) -> None:
        for decl in self.declaration():
            decl.attributes = attributes + decl.attributes
            items.append(decl)

    def attributed_statement(self, attributes: list[Attribute], i: int) -> Any:
        if self.accept(";"):
            return AttributeStatement(attributes, None, self.offsets[i])
        stmt = self.statement()
        if isinstance(stmt, (For, While, DoWhile)):
            stmt.attributes = attributes + stmt.attributes
            return stmt
        return AttributeStatement(attributes, stmt, self.offsets[i])

    # statement: labeled | compound | if | switch | while | do | for | jump | asm | pragma | expression? ';'
    def statement(self) -> Any:
        kind = self.kinds[self.i]
        parse = _STATEMENTS.get(kind)
        if parse is not None:
            return parse(self)
        if kind == "id" and self.kinds[self.i + 1] == ":":
            return self.labeled()
        node = self.expression()
        if self.kinds[self.i] == ";":
            self.i += 1
        else:
            self.end_statement("after expression")
        return node

    # body: pragma* statement
    def body(self) -> Any:
        """The statement that another one governs; pragmas before it are kept, in a Compound."""
        if self.kinds[self.i] == "}" or self.kinds[self.i] == "end":
            self.fail("expected statement")
        if self.kinds[self.i] != "pragma":
            return self.statement()
        offset = self.offsets[self.i]
        items: list[Any] = []
        while self.accept("pragma"):
            items.append(self.pragma())
        items.append(self.statement())
        return c_ast.Compound(items, offset)

    # labeled: (identifier ':' attribute* | 'case' constant_expression ('...' constant_expression)? ':' | 'default' ':')+ body?
    def labeled(self) -> Any:
        """Labels in a row nest, each the body of the one before; see `flatten_cases` for those of a switch."""
        labels: list[tuple[str, Any, int]] = []
        while True:
            i = self.i
            kind = self.kinds[i]
            if kind in _LABELS:
                self.i += 1
                labels.append((kind, self.case_value() if kind == "case" else None, self.offsets[i]))
                self.expect(":", f"expected ':' after '{kind}'")
            elif kind == "id" and self.kinds[i + 1] == ":":
                self.i += 2
                labels.append(("label", self.label_name(self.values[i]), self.offsets[i]))
            else:
                break
        if self.kinds[self.i] in ("}", "end") or (self.kinds[self.i] != "attribute" and self.starts_declaration(self.i)):
            stmt: Any = c_ast.EmptyStatement(labels[-1][2])
        else:
            stmt = self.body()
        for kind, value, offset in reversed(labels):
            if kind == "label":
                stmt = c_ast.Label(value, stmt, offset)
            else:
                stmt = c_ast.Case(value, [stmt], offset) if kind == "case" else c_ast.Default([stmt], offset)
        return stmt

    def case_value(self) -> Any:
        low = self.constant_expression()
        if self.kinds[self.i] != "...":
            return low
        offset = self.offsets[self.i]
        self.i += 1
        return CaseRange(low, self.constant_expression(), offset)

    # if: 'if' '(' expression ')' body ('else' body)?
    def if_statement(self) -> Any:
        """Else-ifs are gathered in a loop, so that a chain may be of any length."""
        branches: list[tuple[Any, Any, int]] = []
        otherwise = None
        while True:
            offset = self.offsets[self.i]
            self.i += 1
            cond = self.parenthesized("after 'if'")
            branches.append((cond, self.body(), offset))
            if not self.accept("else"):
                break
            if self.kinds[self.i] != "if":
                otherwise = self.body()
                break
        for cond, stmt, offset in reversed(branches):
            otherwise = c_ast.If(cond, stmt, otherwise, offset)
        return otherwise

    # switch: 'switch' '(' expression ')' body
    def switch_statement(self) -> Any:
        offset = self.offsets[self.i]
        self.i += 1
        cond = self.parenthesized("after 'switch'")
        body = self.body()
        if isinstance(body, c_ast.Compound):
            body = c_ast.Compound(flatten_cases(body.block_items or []), body.coord)
        return c_ast.Switch(cond, body, offset)

    # while: 'while' '(' expression ')' body
    def while_statement(self) -> Any:
        offset = self.offsets[self.i]
        self.i += 1
        cond = self.parenthesized("after 'while'")
        return While(cond, self.body(), offset)

    # do: 'do' body 'while' '(' expression ')' ';'
    def do_statement(self) -> Any:
        offset = self.offsets[self.i]
        self.i += 1
        body = self.body()
        self.expect("while", "expected 'while' in do/while loop")
        cond = self.parenthesized("after 'while'")
        self.end_statement("after do/while statement")
        return DoWhile(cond, body, offset)

    # for: 'for' '(' (declaration | expression? ';') expression? ';' expression? ')' body
    def for_statement(self) -> Any:
        keyword = self.i
        self.i += 1
        opening = self.i
        self.expect("(", "expected '(' after 'for'")
        self.open_scope()
        try:
            init = None
            if self.starts_declaration(self.i) or self.kinds[self.i] == self.kinds[self.i + 1] == "id":
                place = self.offsets[self.i]
                declared = self.declaration()
                init = c_ast.DeclList(declared, place) if declared else None
            elif not self.accept(";"):
                init = self.expression()
                self.expect(";", "expected ';' in 'for' statement specifier")
            cond = None if self.kinds[self.i] == ";" else self.expression()
            self.expect(";", "expected ';' in 'for' statement specifier")
            step = None if self.kinds[self.i] == ")" else self.expression()
            self.close(opening)
            return For(init, cond, step, self.body(), self.offsets[keyword])
        finally:
            self.close_scope()

    # jump: 'goto' identifier ';' | 'continue' ';' | 'break' ';' | 'return' expression? ';'
    def jump_statement(self) -> Any:
        kind, offset = self.kinds[self.i], self.offsets[self.i]
        self.i += 1
        node: Any
        if kind == "goto":
            if self.kinds[self.i] == "*":
                self.fail("computed gotos ('goto *') are not supported by cl2cuda")
            self.expect("id")
            node = c_ast.Goto(self.label_name(self.values[self.i - 1]), offset)
        elif kind == "return":
            node = c_ast.Return(None if self.kinds[self.i] in (";", "}") else self.expression(), offset)
        else:
            node = c_ast.Break(offset) if kind == "break" else c_ast.Continue(offset)
        self.end_statement(f"after {kind} statement")
        return node

    def empty_statement(self) -> Any:
        self.i += 1
        return c_ast.EmptyStatement(self.offsets[self.i - 1])

    def pragma_statement(self) -> Any:
        self.i += 1
        return self.pragma()

    def leading_attributes(self) -> Any:
        i = self.i
        return self.attributed_statement(self.attributes(), i)

    def stray_else(self) -> Any:
        self.fail("expected expression")

    # block_literal: '^' (type_name | '(' parameters ')')? compound_statement
    def block_literal(self) -> Any:
        offset = self.offsets[self.i]
        self.i += 1
        block_type = None
        self.open_scope()
        if self.kinds[self.i] == "(":
            block_type = c_ast.Typename(None, [], None, self.function_suffix(offset), offset)
        elif self.kinds[self.i] != "{":
            block_type = self.type_name()
        self.declare_parameters(block_type.type if block_type else None)
        body = self.compound(new_scope=False)
        self.close_scope()
        return BlockLiteral(block_type, body, offset)

    def declare_parameters(self, function: Any) -> None:
        if isinstance(function, c_ast.FuncDecl) and function.args is not None:
            for param in function.args.params:
                if isinstance(param, Decl):
                    self.declare_name(param.name)


def flatten_cases(items: list[Any]) -> list[Any]:
    """A switch's block with every case beside the others, owning the statements that follow it (as pycparser has it)."""
    flat: list[Any] = []
    owner: list[Any] = flat
    for item in items:
        if not isinstance(item, (c_ast.Case, c_ast.Default)):
            owner.append(item)
            continue
        while isinstance(item, (c_ast.Case, c_ast.Default)):
            flat.append(item)
            owner = item.stmts
            item = owner[0]
            if isinstance(item, (c_ast.Case, c_ast.Default)):
                owner.clear()
    return flat


_STATEMENTS = {
    "{": StatementParser.compound,
    "if": StatementParser.if_statement,
    "switch": StatementParser.switch_statement,
    "case": StatementParser.labeled,
    "default": StatementParser.labeled,
    "while": StatementParser.while_statement,
    "do": StatementParser.do_statement,
    "for": StatementParser.for_statement,
    **dict.fromkeys(("goto", "continue", "break", "return"), StatementParser.jump_statement),
    ";": StatementParser.empty_statement,
    "asm": StatementParser.asm_statement,
    "pragma": StatementParser.pragma_statement,
    "attribute": StatementParser.leading_attributes,
    "else": StatementParser.stray_else,
}
