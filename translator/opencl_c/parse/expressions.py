"""Expressions of OpenCL C: C99 6.5 with vector literals (OpenCL C 6.3.7), blocks (6.14) and GNU's statement expressions.

Owns the grammar from primary expressions up to the comma, and initialisers. Chains, of operators, prefixes, conditionals
and assignments alike, are loops and take no stack however long they are.
"""

from __future__ import annotations

import re
from typing import Any

from pycparser import c_ast

from .tokens import TokenCursor
from .tree import ArrayDesignator, CompoundLiteral, GenericSelection, StatementExpression, TypeOf, VectorLiteral

PRECEDENCE = {
    "*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, ">": 7, "<=": 7, ">=": 7, "==": 6, "!=": 6,
    "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}  # fmt: skip
ASSIGNMENTS = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="))
_CLOSERS = frozenset((",", ")", ";", "]", "}", ":"))
_POSTFIXES = frozenset(("[", "(", ".", "->", "++", "--"))
_PREFIXES = frozenset(("-", "+", "!", "~", "*", "&", "++", "--", "sizeof", "vec_step", "alignof"))
_STRINGS = frozenset(("string", "wide string"))
_LITERALS = {"integer": "int", "floating": "float", "character": "char"}
_OPEN_ESCAPE = re.compile(r'(?<!\\)(?:\\\\)*\\(?:x[0-9a-fA-F]*|[0-7]{1,2})"$')  # an escape that more digits would lengthen
_OPERATOR_NAMES = {"alignof": "_Alignof"}


class ExpressionParser(TokenCursor):
    # expression: assignment_expression (',' assignment_expression)*
    def expression(self) -> Any:
        first = self.assignment()
        if self.kinds[self.i] != ",":
            return first
        exprs = [first]
        while self.accept(","):
            exprs.append(self.assignment())
        return c_ast.ExprList(exprs, first.coord)

    # assignment_expression: conditional_expression (assignment_operator conditional_expression)*
    def assignment(self) -> Any:
        left = self.unary()
        if self.kinds[self.i] in _CLOSERS:
            return left
        left = self.conditional(left)
        if self.kinds[self.i] not in ASSIGNMENTS:
            return left
        targets = []
        while (op := self.kinds[self.i]) in ASSIGNMENTS:
            targets.append((op, left, self.offsets[self.i]))
            self.i += 1
            left = self.conditional(self.unary())
        for op, target, offset in reversed(targets):
            left = c_ast.Assignment(op, target, left, offset)
        return left

    # parenthesized: '(' expression ')'
    def parenthesized(self, where: str) -> Any:
        opening = self.i
        self.expect("(", f"expected '(' {where}")
        node = self.expression()
        self.close(opening)
        return node

    # constant_expression: conditional_expression
    def constant_expression(self) -> Any:
        return self.conditional(self.unary())

    # conditional_expression: binary_expression ('?' expression? ':' binary_expression)*
    def conditional(self, left: Any) -> Any:
        left = self.binary(left)
        if self.kinds[self.i] != "?":
            return left
        pending = []
        while self.kinds[self.i] == "?":
            offset = self.offsets[self.i]
            self.i += 1
            iftrue = None if self.kinds[self.i] == ":" else self.expression()
            self.expect(":")
            pending.append((left, iftrue, offset))
            left = self.binary(self.unary())
        for cond, iftrue, offset in reversed(pending):
            left = c_ast.TernaryOp(cond, iftrue, left, offset)
        return left

    # binary_expression: cast_expression (binary_operator cast_expression)*
    def binary(self, left: Any) -> Any:
        kinds = self.kinds
        op = kinds[self.i]
        precedence = PRECEDENCE.get(op, 0)
        if not precedence:
            return left
        offset = self.offsets[self.i]
        self.i += 1
        right = self.unary()
        if kinds[self.i] not in PRECEDENCE:  # one operator, as most have
            return c_ast.BinaryOp(op, left, right, offset)
        operands = [left, right]
        operators = [(precedence, op, offset)]
        while True:
            op = kinds[self.i]
            precedence = PRECEDENCE.get(op, 0)
            while operators and operators[-1][0] >= precedence:
                _, name, offset = operators.pop()
                right = operands.pop()
                operands[-1] = c_ast.BinaryOp(name, operands[-1], right, offset)
            if not precedence:
                return operands[0]
            operators.append((precedence, op, self.offsets[self.i]))
            self.i += 1
            operands.append(self.unary())

    # cast_expression: (prefix_operator | '(' type_name ')')* postfix_expression
    def unary(self) -> Any:
        kinds = self.kinds
        i = self.i
        kind = kinds[i]
        if kind == "id" and self.values[i] not in self.types:
            self.i = i + 1
            node = c_ast.ID(self.values[i], self.offsets[i])
            return self.postfix(node) if kinds[i + 1] in _POSTFIXES else node
        literal = _LITERALS.get(kind)
        if literal is not None:
            self.i = i + 1
            node = c_ast.Constant(literal, self.values[i], self.offsets[i])
            return self.postfix(node) if kinds[i + 1] in _POSTFIXES else node
        return self.prefixed()

    def prefixed(self) -> Any:
        """A cast_expression in full: prefixes wait in a list until what they stand before is known."""
        prefixes: list[tuple[str, Any, int]] = []
        while True:
            i = self.i
            kind = self.kinds[i]
            if kind == "(" and not (self.starts_type(i + 1) or self.casts_to_unknown(i)):
                node = self.primary()
                if self.kinds[self.i] in _POSTFIXES:
                    node = self.postfix(node)
                break
            if kind in _PREFIXES:
                self.i = i + 1
                name = _OPERATOR_NAMES.get(kind, kind)
                if kind in ("sizeof", "vec_step", "alignof") and self.kinds[i + 1] == "(" and self.starts_type(i + 2):
                    node = self.sized_type(name, i)
                    break
                prefixes.append((name, None, self.offsets[i]))
            elif kind == "extension":
                self.i = i + 1
            elif kind == "(":
                node = self.cast_or_literal()
                if not isinstance(node, c_ast.Typename):
                    node = self.postfix(node)
                    break
                prefixes.append(("cast", node, self.offsets[i]))
            else:
                node = self.postfix(self.primary())
                break
        for name, to_type, offset in reversed(prefixes):
            node = c_ast.UnaryOp(name, node, offset) if to_type is None else self.cast(to_type, node, offset)
        return node

    def casts_to_unknown(self, i: int) -> bool:
        """`(name) operand` with a name that is no type: only a cast to a type that is not declared makes sense of it."""
        kinds = self.kinds
        return kinds[i + 1] == "id" and kinds[i + 2] == ")" and (kinds[i + 3] == "id" or kinds[i + 3] in _LITERALS)

    # sized_type: ('sizeof' | 'vec_step' | '_Alignof') '(' type_name ')'
    def sized_type(self, name: str, i: int) -> Any:
        self.i = i + 2
        operand = self.type_name()
        self.close(i + 1)
        if self.kinds[self.i] == "{":  # sizeof (int[]){1, 2}
            operand = self.postfix(CompoundLiteral(operand, self.initializer(), self.offsets[i + 1]))
        return c_ast.UnaryOp(name, operand, self.offsets[i])

    # cast_or_literal: '(' type_name ')'                      a cast: the Typename is returned
    #                | '(' type_name ')' braced_initializer
    #                | '(' vector_type_name ')' '(' assignment_expression (',' assignment_expression)* ')'
    def cast_or_literal(self) -> Any:
        opening = self.i
        offset = self.offsets[opening]
        self.i += 1
        to_type = self.type_name()
        self.close(opening)
        if self.kinds[self.i] == "{":
            return CompoundLiteral(to_type, self.initializer(), offset)
        start = self.i
        if self.kinds[start] != "(" or not self.is_vector(to_type) or self.starts_type(start + 1) or self.kinds[start + 1] == "{":
            return to_type
        self.i += 1
        return VectorLiteral(to_type, self.arguments(start), offset)

    def is_vector(self, to_type: Any) -> bool:
        declared = to_type.type
        if not isinstance(declared, c_ast.TypeDecl) or not isinstance(declared.type, c_ast.IdentifierType):
            return False
        return self.types.get(declared.type.names[-1], False)

    @staticmethod
    def cast(to_type: Any, operand: Any, offset: int) -> Any:
        """A cast, unless `(typeof(x))(a, b)` shows only now that it is a vector literal."""
        if isinstance(operand, c_ast.ExprList) and isinstance(to_type.type.type, TypeOf):
            return VectorLiteral(to_type, operand.exprs, offset)
        return c_ast.Cast(to_type, operand, offset)

    # arguments: assignment_expression (',' assignment_expression)* ')'
    def arguments(self, opening: int) -> list[Any]:
        exprs = [self.assignment()]
        while self.kinds[self.i] == ",":
            self.i += 1
            exprs.append(self.assignment())
        self.close(opening)
        return exprs

    # postfix_expression: primary_expression
    #                     ('[' expression ']' | '(' arguments? ')' | ('.' | '->') identifier | '++' | '--')*
    def postfix(self, node: Any) -> Any:
        kinds = self.kinds
        while (kind := kinds[self.i]) in _POSTFIXES:
            i = self.i
            self.i = i + 1
            if kind == "(":
                node = self.call(node, i)
            elif kind == "[":
                subscript = self.expression()
                if kinds[self.i] == "]":
                    self.i += 1
                else:
                    self.close(i)
                node = c_ast.ArrayRef(node, subscript, node.coord)
            elif kind == "." or kind == "->":
                field = c_ast.ID(self.values[i + 1], self.offsets[i + 1])
                self.expect("id", "expected identifier")
                node = c_ast.StructRef(node, kind, field, node.coord)
            else:
                node = c_ast.UnaryOp("p" + kind, node, self.offsets[i])
        return node

    def call(self, function: Any, opening: int) -> Any:
        if self.accept(")"):
            return c_ast.FuncCall(function, None, function.coord)
        name = function.name if isinstance(function, c_ast.ID) else ""
        if name == "_Generic":
            return self.generic_selection(function.coord, opening)
        args = self.builtin_arguments(opening) if name.startswith("__builtin_") else self.arguments(opening)
        return c_ast.FuncCall(function, c_ast.ExprList(args, args[0].coord), function.coord)

    # builtin_arguments: (type_name | assignment_expression) (',' (type_name | assignment_expression))* ')'
    def builtin_arguments(self, opening: int) -> list[Any]:
        args = []
        while True:
            args.append(self.type_name() if self.starts_type(self.i) else self.assignment())
            if not self.accept(","):
                break
        self.close(opening)
        return args

    # generic_selection: '_Generic' '(' assignment_expression (',' (type_name | 'default') ':' assignment_expression)+ ')'
    def generic_selection(self, coord: int, opening: int) -> Any:
        expr, default = self.assignment(), None
        types: list[Any] = []
        choices: list[Any] = []
        self.expect(",")
        while True:
            place = self.i
            if self.accept("default"):
                if default is not None:
                    self.error("duplicate default generic association", self.offsets[place])
                self.expect(":")
                default = self.assignment()
            else:
                types.append(self.type_name())
                self.expect(":")
                choices.append(self.assignment())
            if not self.accept(","):
                break
        self.close(opening)
        return GenericSelection(expr, types, choices, default, coord)

    # primary_expression: identifier | constant | string+ | '(' expression ')' | '(' compound_statement ')'
    #                   | block_literal | offsetof
    def primary(self) -> Any:
        i = self.i
        kind = self.kinds[i]
        if kind == "(":
            self.i = i + 1
            is_block = self.kinds[self.i] == "{"
            node = StatementExpression(self.compound(), self.offsets[i]) if is_block else self.expression()
            if self.kinds[self.i] == ")":
                self.i += 1
            else:
                self.close(i)
            return node
        if kind == "id" and self.values[i] not in self.types:
            self.i = i + 1
            return c_ast.ID(self.values[i], self.offsets[i])
        if kind in _LITERALS:
            self.i = i + 1
            return c_ast.Constant(_LITERALS[kind], self.values[i], self.offsets[i])
        if kind in _STRINGS:
            is_wide, text = self.any_string_literal()
            return c_ast.Constant("wide string" if is_wide else "string", text, self.offsets[i])
        if kind == "^":
            return self.block_literal()
        if kind == "offsetof":
            return self.offset_of()
        if kind == "part":
            self.fail(f"complex numbers ('{self.values[i]}') are not supported by cl2cuda")
        if kind == "&&" and self.kinds[i + 1] == "id":
            self.fail(f"addresses of labels ('&&{self.values[i + 1]}') are not supported by cl2cuda")
        if self.starts_type(i):
            self.fail(f"unexpected type name '{self.values[i]}': expected expression")
        self.fail("expected expression")

    # string_literal: string+
    def string_literal(self) -> str:
        if self.kinds[self.i] == "wide string":
            self.fail("a wide string is not allowed here")
        return self.any_string_literal()[1]

    # any_string_literal: (string | wide_string)+
    def any_string_literal(self) -> tuple[bool, str]:
        """Adjacent literals as one, and whether it is wide, as it is where one of them is. A numeric escape at a seam stays apart, lest it
        swallow the next literal's digits."""
        is_wide = self.kinds[self.i] == "wide string"
        previous = self.string_part()
        pieces = [previous[:-1]]
        while self.kinds[self.i] in _STRINGS:
            is_wide = is_wide or self.kinds[self.i] == "wide string"
            part = self.string_part()
            at_seam = _OPEN_ESCAPE.search(previous) and part[1] in "0123456789abcdefABCDEF"
            pieces += ['" "'] * bool(at_seam) + [part[1:-1]]
            previous = part
        return is_wide, "".join(pieces) + '"'

    def string_part(self) -> str:
        if not self.accept("wide string"):
            self.expect("string")
        return self.values[self.i - 1].removeprefix("L")

    # offsetof: '__builtin_offsetof' '(' type_name ',' identifier ('.' identifier | '[' expression ']')* ')'
    def offset_of(self) -> Any:
        i = self.i
        self.i += 1
        self.expect("(")
        of_type = self.type_name()
        self.expect(",")
        offset = self.expect("id")
        member = self.postfix(c_ast.ID(self.values[self.i - 1], offset))
        self.close(i + 1)
        coord = self.offsets[i]
        return c_ast.FuncCall(c_ast.ID("offsetof", coord), c_ast.ExprList([of_type, member], coord), coord)

    # initializer: assignment_expression | '{' (initializer_item (',' initializer_item)* ','?)? '}'
    def initializer(self) -> Any:
        opening = self.i
        if self.kinds[opening] != "{":
            return self.assignment()
        self.i += 1
        items = []
        while self.kinds[self.i] != "}":
            items.append(self.initializer_item())
            if not self.accept(","):
                break
        self.close(opening)
        return c_ast.InitList(items, self.offsets[opening])

    # initializer_item: (designator+ '=')? initializer | GNU's old style: '[' … ']' initializer | identifier ':' initializer
    # designator: '[' constant_expression ('...' constant_expression)? ']' | '.' identifier
    def initializer_item(self) -> Any:
        start = self.i
        if self.kinds[start] == "id" and self.kinds[start + 1] == ":":
            self.i += 2
            self.obsolete_designator("old-style field designator", start)
            return c_ast.NamedInitializer([c_ast.ID(self.values[start], self.offsets[start])], self.initializer(), self.offsets[start])
        designators: list[Any] = []
        while (kind := self.kinds[self.i]) in ("[", "."):
            i = self.i
            self.i += 1
            if kind == ".":
                offset = self.expect("id")
                designators.append(c_ast.ID(self.values[self.i - 1], offset))
            else:
                low = self.constant_expression()
                high = self.constant_expression() if self.accept("...") else None
                designators.append(ArrayDesignator(low, self.offsets[i], high))
                self.close(i)
        if not designators:
            return self.initializer()
        if len(designators) == 1 and isinstance(designators[0], ArrayDesignator) and self.kinds[self.i] != "=":
            self.obsolete_designator("'missing =' in a designator", start)
        else:
            self.expect("=")
        return c_ast.NamedInitializer(designators, self.initializer(), self.offsets[start])

    def obsolete_designator(self, what: str, i: int) -> None:
        self.diagnostics.warning(f"use of GNU's {what}", self.pre.locate(self.offsets[i]))
