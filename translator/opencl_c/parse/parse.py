"""The parser: preprocessed OpenCL C into pycparser's tree, with the nodes of `tree` beside it.

Owns the program as a whole; `parse_statements`, `parse_types`, `parse_expressions` and `parse_tokens` are the layers
below. It knows type names, for C cannot be parsed without them, and nothing else of what names mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pycparser import c_ast

from ...diagnostics import NESTING, Diagnostics
from ...ir.source_map import SourceMap
from ..dialect import Dialect
from ..preprocess.lexer import Tokens, tokenize
from .statements import StatementParser
from .tokens import SyntaxFailure


def parse(pre: SourceMap, diagnostics: Diagnostics, dialect: Dialect,
          select: Callable[[str, Tokens], Tokens] = lambda text, tokens: tokens) -> c_ast.FileAST:
    """The tree of the program, or of what `select` leaves of its text's tokens. After errors, which `diagnostics` has, it holds what could
    be parsed."""
    parser = Parser(pre, select(pre.text, tokenize(pre, diagnostics, dialect)), diagnostics, dialect)
    try:
        return parser.program()
    except RecursionError:
        diagnostics.error(NESTING, parser.here())
        return c_ast.FileAST([], 0)


class Parser(StatementParser):
    # program: external_declaration*
    def program(self) -> c_ast.FileAST:
        items: list[Any] = []
        while self.kinds[self.i] != "end":
            start = self.i
            try:
                self.external_declaration(items)
            except SyntaxFailure:
                self.skip_past_item(start)
                if self.i == start or self.kinds[self.i] == "}":
                    self.i += self.kinds[self.i] != "end"
        return c_ast.FileAST(items, 0)

    # external_declaration: function_definition | declaration | pragma | asm | ';'
    def external_declaration(self, items: list[Any]) -> None:
        kind = self.kinds[self.i]
        if kind == "pragma":
            items.append(self.pragma_statement())
        elif kind == ";":
            self.i += 1
        elif kind == "asm":
            items.append(self.asm_statement())
        elif kind == "}":
            self.fail("extraneous closing brace ('}')")
        else:
            items += self.function_or_declaration()

    # function_definition: specifiers declarator attribute* declaration* compound_statement
    def function_or_declaration(self) -> list[Any]:
        while self.accept("extension"):
            pass
        if self.kinds[self.i] == "static_assert":
            return [self.static_assert()]
        spec = self.file_scope_specifiers()
        if self.kinds[self.i] == ";":
            self.i += 1
            return self.bare_declaration(spec)
        declarator = self.declarator("named")
        is_function = bool(declarator.chain) and isinstance(declarator.chain[0], c_ast.FuncDecl)
        if is_function and declarator.chain[0] is self.untyped:
            self.parameter_types(declarator.chain[0])
        if self.kinds[self.i] != "{":
            decls = self.declarators(spec, declarator)
            if is_function and self.kinds[self.i] != ";":
                self.fail("expected function body after function declarator")
            self.end_statement("after top level declarator")
            return decls
        if not is_function:
            self.fail("expected ';' after top level declarator")
        if "typedef" in spec.storage:
            self.error("function definition declared 'typedef'", declarator.offset)
            spec.storage.remove("typedef")
        decl = self.declared(spec, declarator, spec.attributes + declarator.attributes)
        self.open_scope()
        self.declare_parameters(declarator.chain[0])
        body = self.compound(new_scope=False)
        self.close_scope()
        return [c_ast.FuncDef(decl, None, body, declarator.offset)]

    def parameter_types(self, function: c_ast.FuncDecl) -> None:
        """The declarations between a definition's parameters, which are only named, and its body. One that has none is an int."""
        params = function.args.params
        found: dict[str, Any] = {}
        self.open_scope()
        while self.kinds[self.i] not in ("{", "end"):
            spec = self.required_specifiers()
            for decl in self.declarators(spec, self.declarator("named")):
                if decl.name not in (param.name for param in params):
                    self.error(f"parameter named '{decl.name}' is missing", decl.coord)
                elif decl.name in found:
                    self.error(f"redefinition of parameter '{decl.name}'", decl.coord)
                found[decl.name] = decl
            self.end_statement("at end of declaration")
        self.close_scope()
        for i, param in enumerate(params):
            if param.name in found:
                params[i] = found[param.name]
            else:
                self.diagnostics.warning(f"parameter '{param.name}' was not declared, defaults to 'int'", self.pre.locate(param.coord))

    def file_scope_specifiers(self) -> Any:
        i = self.i
        if self.kinds[i] == "id" and self.kinds[i + 1] == "(" and self.values[i] not in self.types:
            self.implicit_int(self.offsets[i])
            spec = self.specifiers()
            spec.names = ["int"]
            return spec
        if not self.starts_type(i) and self.kinds[i] != "id":
            self.fail("expected external declaration")
        return self.required_specifiers()
