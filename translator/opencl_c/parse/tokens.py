"""The ground under the parser: a cursor over the tokens, the names in scope, errors and what to skip after one.

Owns no grammar. A parsing method that cannot go on reports and raises SyntaxFailure; the lists of the grammar (program,
block, members) catch it, skip to where the next item begins, and go on.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ...diagnostics import Diagnostic, Diagnostics, Position
from ...ir.source_map import SourceMap
from ..dialect import Dialect
from ..preprocess.lexer import Tokens

CLOSING = {"(": ")", "[": "]", "{": "}"}


class SyntaxFailure(Exception):
    """The construct being parsed is beyond repair; the error has been reported."""


class TokenCursor:
    """`kinds[i]`, `values[i]` and `offsets[i]` are the next token; methods advance `i` past what they parse."""

    def __init__(self, pre: SourceMap, tokens: Tokens, diagnostics: Diagnostics, dialect: Dialect):
        self.pre = pre
        self.diagnostics = diagnostics
        self.kinds, self.values, self.offsets = tokens.kinds, tokens.values, tokens.offsets
        self.i = 0
        # The type names visible here, and whether each is a vector. A scope logs what it hides, to put it back.
        self.types: dict[str, bool] = dialect.type_names()
        self._hidden: list[list[tuple[str, bool | None]]] = [[]]
        self._unknown: set[str] = set()
        self.block_labels: list[dict[str, str]] = []  # of each open block, what its own labels are called in all of the function
        self.untyped: Any = None  # the last function declarator that only names its parameters

    # Names

    def open_scope(self) -> None:
        self._hidden.append([])

    def close_scope(self) -> None:
        for name, vector in reversed(self._hidden.pop()):
            if vector is None:
                self.types.pop(name, None)
            else:
                self.types[name] = vector

    def declare_type(self, name: str, vector: bool) -> None:
        self._hidden[-1].append((name, self.types.get(name)))
        self.types[name] = vector

    def declare_name(self, name: str | None) -> None:
        """A variable, function or enumerator: it hides a type of that name."""
        if name in self.types:
            self._hidden[-1].append((name, self.types.pop(name)))

    # Tokens

    def accept(self, kind: str) -> bool:
        if self.kinds[self.i] == kind:
            self.i += 1
            return True
        return False

    def expect(self, kind: str, message: str = "") -> int:
        """Pass a token of this kind and return its offset."""
        i = self.i
        if self.kinds[i] != kind:
            self.fail(message or f"expected {self.name_kind(kind)}")
        self.i = i + 1
        return self.offsets[i]

    def close(self, opening: int) -> None:
        """Pass the bracket that closes the one at token index `opening`."""
        kind = CLOSING[self.kinds[opening]]
        if self.kinds[self.i] != kind:
            position = self.pre.locate(self.offsets[opening])
            note = self.diagnostics.make("note", f"to match this '{self.kinds[opening]}'", position)
            self.fail(f"expected '{kind}'", notes=(note,))
        self.i += 1

    def end_statement(self, after: str) -> None:
        """Pass a ';'. Where only that is missing, report it and go on as if it were there."""
        if self.kinds[self.i] == ";":
            self.i += 1
            return
        self.diagnostics.error(f"expected ';' {after}", self.after_previous())
        if not self.on_new_line() and self.kinds[self.i] != "}":
            raise SyntaxFailure

    def on_new_line(self) -> bool:
        """Whether the next token stands on a later line than the one before it."""
        return "\n" in self.pre.text[self.offsets[self.i - 1] : self.offsets[self.i]] or self.kinds[self.i] == "end"

    @staticmethod
    def name_kind(kind: str) -> str:
        return {"id": "identifier", "string": "string literal"}.get(kind, f"'{kind}'")

    # Errors

    def here(self) -> Position:
        return self.pre.locate(self.offsets[self.i])

    def after_previous(self) -> Position:
        """Just behind the token before the next one: where something is missing."""
        i = self.i - 1
        if i < 0:
            return self.here()
        position = self.pre.locate(self.offsets[i])
        return position._replace(column=position.column + len(self.values[i]))

    def error(self, message: str, offset: int) -> None:
        self.diagnostics.error(message, self.pre.locate(offset))

    def fail(self, message: str, *, notes: tuple[Diagnostic, ...] = ()) -> NoReturn:
        """Report at the next token, and give up the construct."""
        position = self.after_previous() if self.kinds[self.i] == "end" else self.here()
        self.diagnostics.error(message, position, notes)
        raise SyntaxFailure

    def unknown_type(self, i: int) -> None:
        """Report an identifier that stands where only a type makes sense, once a name."""
        if self.values[i] not in self._unknown:
            self._unknown.add(self.values[i])
            self.error(f"unknown type name '{self.values[i]}'", self.offsets[i])

    def skip_past_item(self, start: int) -> None:
        """Skip the item that began at token `start`: to behind its ';' or its block, or to before the '}' around it."""
        parens = 0
        for kind in self.kinds[start : self.i]:
            parens += (kind in ("(", "[")) - (kind in (")", "]"))
        if self.kinds[self.i] == ";" and self.kinds[start] != "for":  # a bracket is missing here
            parens = 0
        braces = 0
        while (kind := self.kinds[self.i]) != "end":
            if kind in ("(", "["):
                parens += 1
            elif kind in (")", "]"):
                parens -= 1
            elif kind == "{":
                braces += 1
            elif kind == "}":
                if not braces:
                    return
                braces -= 1
            self.i += 1
            if not braces and (kind == "}" or (kind == ";" and parens <= 0)):
                return

    # What the layers above define, for the layers below them

    def starts_type(self, i: int) -> bool:
        raise NotImplementedError

    def type_name(self) -> Any:
        raise NotImplementedError

    def compound(self) -> Any:
        raise NotImplementedError

    def block_literal(self) -> Any:
        raise NotImplementedError
