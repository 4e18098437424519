"""What GNU C and C11 add beside declarations and statements: attributes, pragmas, static assertions, inline assembly."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from ..attribute_names import plain
from .expressions import ExpressionParser
from .tree import Asm, AsmOperand, Attribute


class ExtensionParser(ExpressionParser):
    # attribute: '__attribute__' '(' '(' (attribute_item? (',' attribute_item?)*) ')' ')'
    # attribute_item: word ('(' ((type_name | assignment_expression) (',' …)*)? ')')?
    def attributes(self) -> list[Attribute]:
        found: list[Attribute] = []
        while self.kinds[self.i] == "attribute":
            self.i += 1
            outer = self.i
            self.expect("(", "expected '(' after '__attribute__'")
            self.expect("(", "expected '(' after '('")
            while self.kinds[self.i] != ")":
                if not self.accept(","):
                    found.append(self.attribute_item())
            self.close(outer + 1)
            self.close(outer)
        return found

    def attribute_item(self) -> Attribute:
        i = self.i
        word = self.values[i]
        if not (word[:1].isalpha() or word[:1] == "_"):
            self.fail("expected identifier")
        self.i = i + 1
        args: list[Any] = []
        if self.accept("(") and not self.accept(")"):
            args = self.builtin_arguments(i + 1)
        return Attribute(plain(word), args, self.offsets[i])

    def pragma(self) -> Any:
        """The node of the pragma token just passed."""
        return c_ast.Pragma(self.values[self.i - 1].partition("pragma")[2].strip(), self.offsets[self.i - 1])

    # static_assert: '_Static_assert' '(' constant_expression (',' string)? ')' ';'
    def static_assert(self) -> Any:
        keyword = self.i
        self.i += 1
        self.expect("(", "expected '(' after '_Static_assert'")
        cond = self.constant_expression()
        message = None
        if self.accept(","):
            place = self.offsets[self.i]
            message = c_ast.Constant("string", self.string_literal(), place)
        self.close(keyword + 1)
        self.end_statement("after '_Static_assert'")
        return c_ast.StaticAssert(cond, message, self.offsets[keyword])

    # asm: 'asm' ('volatile' | 'inline' | 'goto')* '(' string (':' operands? (':' operands? (':' clobbers?)?)?)? ')' ';'
    def asm_statement(self) -> Any:
        keyword = self.i
        self.i += 1
        qualifiers: list[str] = []
        while (kind := self.kinds[self.i]) in ("volatile", "inline", "goto", "const"):
            qualifiers.append(kind)
            self.i += 1
        opening = self.i
        self.expect("(", "expected '(' after 'asm'")
        template = self.string_literal()
        outputs = self.asm_operands() if self.accept(":") else []
        inputs = self.asm_operands() if self.accept(":") else []
        clobbers: list[str] = []
        if self.accept(":"):
            while self.kinds[self.i] == "string":
                clobbers.append(self.string_literal())
                if not self.accept(","):
                    break
        self.close(opening)
        self.end_statement("after asm statement")
        return Asm(qualifiers, template, outputs, inputs, clobbers, self.offsets[keyword])

    # operands: ('[' identifier ']')? string '(' expression ')' (',' …)*
    def asm_operands(self) -> list[AsmOperand]:
        operands: list[AsmOperand] = []
        while self.kinds[self.i] in ("[", "string"):
            offset = self.offsets[self.i]
            name = ""
            if self.accept("["):
                self.expect("id")
                name = self.values[self.i - 1]
                self.expect("]")
            constraint = self.string_literal()
            operands.append(AsmOperand(name, constraint, self.parenthesized(f"after '{constraint}'"), offset))
            if not self.accept(","):
                break
        return operands
