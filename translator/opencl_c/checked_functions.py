"""Functions that an earlier translation has found right, by which a program over the same headers is translated without looking at them
again: what no kernel reaches is translated to be diagnosed alone, and headers of thousands of lines take longer than all else.

What a function's text means is decided by all that stands before it: types, declarations, pragmas, what its macros became. So a function is
known by a digest of the preprocessed program up to its end, the language and the options. Digests are noted of programs that have no
diagnostics at all.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from ..options import BuildOptions
from .dialect import Dialect
from .preprocess.lexer import Tokens

# Of shorter programs the translation takes little, and their digests would crowd out others'.
WORTH_CHECKING = 8192  # tokens
SIZE = 16  # bytes of a digest
MOST = 1 << 15  # digests

_MARKS = frozenset(("{", "}", ";", "pragma"))
# What the beginning of a function is not made of, up to its parameters; declarations with these are no functions, or rare ones.
_NO_FUNCTIONS = frozenset("= ; [ ] ( ) , ^ typedef asm typeof pragma static_assert".split())


class CheckedFunctions:
    """What is known, the oldest first; at most MOST are kept. `load` gives what earlier processes knew, as `to_bytes` does, when the first
    program asks that is long enough. Several threads may use it."""

    def __init__(self, load: Callable[[], bytes] = bytes):
        self._load = load
        self.has_grown = False  # since whoever keeps it said otherwise

    @cached_property
    def _digests(self) -> dict[bytes, None]:
        data = self._load()
        return dict.fromkeys(data[i : i + SIZE] for i in range(0, len(data) - SIZE + 1, SIZE))

    def to_bytes(self) -> bytes:
        return b"".join(self._digests)

    def __contains__(self, digest: bytes) -> bool:
        return digest in self._digests

    def add(self, digests: Iterable[bytes]) -> None:
        known = self._digests | dict.fromkeys(digests)
        if len(known) > len(self._digests):
            excess = max(0, len(known) - MOST)
            self._digests = dict.fromkeys(itertools.islice(known, excess, None))  # another thread may be looking at the old one
            self.has_grown = True


@dataclasses.dataclass(slots=True)
class _Part:
    """Tokens from `start` to before `end`, which define or declare a function of that name, or are anything else at program scope ("")."""

    start: int
    end: int
    name: str = ""
    is_definition: bool = False
    is_kernel: bool = False
    digest: bytes = b""


class Checking:
    """One program's part in it. `whole` as `analyse` has it; `keeps_kernels` says whether they are translated in any case."""

    def __init__(self, known: CheckedFunctions, options: BuildOptions, dialect: Dialect, *, whole: bool, keeps_kernels: bool):
        self._known = known
        self._keeps_kernels = keeps_kernels
        language = dataclasses.replace(options, defines=(), undefines=(), include_dirs=())  # which the preprocessed text shows
        self._seed = f"{language!r} {dialect!r} {whole}".encode()
        self._digests: list[bytes] = []

    def select(self, text: str, tokens: Tokens) -> Tokens:
        """The program without functions that are known to be right and that nothing of what stays names."""
        if len(tokens.kinds) < WORTH_CHECKING:
            return tokens
        parts = _parts(tokens)
        self._digest(text, tokens, parts)
        self._digests = [part.digest for part in self._worth_noting(tokens, parts)]
        if self._keeps_kernels and not any(part.is_kernel for part in parts):
            return tokens  # A program without kernels stays whole.
        kept = self._kept(tokens, parts)
        return tokens if len(kept) == len(parts) else _of(tokens, kept)

    def note(self) -> None:
        """The program has been translated, and had no diagnostics."""
        if self._digests:
            self._known.add(self._digests)

    def _digest(self, text: str, tokens: Tokens, parts: Sequence[_Part]) -> None:
        digest = hashlib.blake2b(self._seed, digest_size=SIZE)
        for part in parts:
            digest.update(text[tokens.offsets[part.start] : tokens.offsets[part.end]].encode("utf-8", "surrogatepass"))
            part.digest = digest.digest()

    def _worth_noting(self, tokens: Tokens, parts: Sequence[_Part]) -> Iterator[_Part]:
        """Functions that are not known and whose callees are all defined before their end: what those are that come later another program
        decides."""
        undefined = {name for part in parts for name in _declared(tokens, part)}
        for part in parts:
            if part.is_definition:
                undefined.discard(part.name)
            if part.name and part.digest not in self._known and (
                    not part.is_definition or undefined.isdisjoint(tokens.values[part.start : part.end])):
                yield part

    def _kept(self, tokens: Tokens, parts: Sequence[_Part]) -> list[_Part]:
        waiting: list[_Part] = []
        candidates: dict[str, list[_Part]] = {}
        for part in parts:
            if part.name and part.digest in self._known and not (part.is_kernel and self._keeps_kernels):
                candidates.setdefault(part.name, []).append(part)  # several, where they are overloadable
            else:
                waiting.append(part)
        kept = list(waiting)
        while waiting and candidates:
            part = waiting.pop()
            for name in candidates.keys() & set(tokens.values[part.start : part.end]):
                named = candidates.pop(name)
                waiting += named
                kept += named
        return sorted(kept, key=lambda part: part.start)


def _parts(tokens: Tokens) -> list[_Part]:
    """The program's external declarations. Where a function's beginning is none of the plain ones, it is one with what follows, up to a
    semicolon."""
    kinds, found, start, depth, opening = tokens.kinds, [], 0, 0, -1
    for i in itertools.compress(itertools.count(), map(_MARKS.__contains__, kinds)):
        kind, part = kinds[i], None
        if kind == "{":
            if not depth:
                opening = i if opening < 0 else opening  # of the part, the first one
            depth += 1
        elif kind == "}":
            depth = max(0, depth - 1)
            if not depth and (head := _head(tokens, start, opening)):
                part = _Part(start, i + 1, "" if _settles(tokens, opening, i) else head.name, True, head.is_kernel)
        elif not depth and kind == ";":
            head = _head(tokens, start, i) if opening < 0 else None
            part = _Part(start, i + 1, head.name) if head and not head.may_declare_variable else _Part(start, i + 1)
        elif not depth and i == start:  # a pragma
            part = _Part(start, i + 1)
        if part:
            found.append(part)
            start, opening = i + 1, -1
    if start < len(kinds) - 1:
        found.append(_Part(start, len(kinds) - 1))
    return found


def _declared(tokens: Tokens, part: _Part) -> Iterator[str]:
    """The functions that it may declare or define, whatever else they are."""
    if part.name:
        yield part.name
    else:
        for i in range(part.start, part.end - 1):
            if tokens.kinds[i] == "id" and tokens.kinds[i + 1] == "(":
                yield tokens.values[i]


class _Head(NamedTuple):
    name: str
    is_kernel: bool
    may_declare_variable: bool  # `type (name)`


def _head(tokens: Tokens, start: int, end: int) -> _Head | None:
    """What these tokens declare if they are a function's specifiers, name and parameters, each with attributes."""
    kinds = tokens.kinds
    name, is_kernel, may_declare_variable, i = "", False, False, start
    while i < end:
        kind = kinds[i]
        if kind == "attribute":
            i = _behind_brackets(kinds, i + 1, end)
        elif kind == "(" and not name and i > start and kinds[i - 1] == "id":
            name, behind = tokens.values[i - 1], _behind_brackets(kinds, i, end)
            may_declare_variable = kinds[i + 1 : behind - 1] == ["id"]
            i = behind
        elif name or kind in _NO_FUNCTIONS:
            return None
        else:
            is_kernel |= kind == "kernel"
            i += 1
    return _Head(name, is_kernel, may_declare_variable) if name else None


def _settles(tokens: Tokens, start: int, end: int) -> bool:
    """Whether there are pragmas that may hold for more than what they stand in."""
    kinds = tokens.kinds[start:end]
    return "pragma" in kinds and any(kind == "pragma" and "unroll" not in tokens.values[start + i] for i, kind in enumerate(kinds))


def _behind_brackets(kinds: Sequence[str], i: int, end: int) -> int:
    """The index behind the group that begins there."""
    depth = 0
    while i < end:
        depth += (kinds[i] == "(") - (kinds[i] == ")")
        i += 1
        if not depth:
            break
    return i


def _of(tokens: Tokens, parts: Sequence[_Part]) -> Tokens:
    """The tokens of these parts, and the end."""
    def cut(every: list[str]) -> list[str]:
        return [*itertools.chain.from_iterable(every[part.start : part.end] for part in parts), every[-1]]

    offsets = [*itertools.chain.from_iterable(tokens.offsets[part.start : part.end] for part in parts), tokens.offsets[-1]]
    return Tokens(cut(tokens.kinds), cut(tokens.values), offsets)
