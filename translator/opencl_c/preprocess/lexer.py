"""Tokens: macro-free text cut by one regular expression into flat lists of kinds, spellings and offsets.

A kind is what the grammar calls a token: "id", "integer", "floating", "character", "string", "wide string", "pragma", "end", or a
keyword's or a punctuator's own spelling, with the underscored spellings of keywords (`__kernel`, `__const__`) folded into one.
"""

from __future__ import annotations

import re
from itertools import accumulate

from ...diagnostics import Diagnostics
from ...ir.source_map import SourceMap
from ..dialect import Dialect

IDENTIFIER = r"(?:[^\W\d]|\$)[\w$]*"  # clang takes a dollar sign for a letter
_DIGITS = r"[\w.]*(?:(?<=[eEpP])[+-][\w.]*)*"  # the rest of C99's preprocessing number: 0xE+1 is one
# Each character begins tokens of few alternatives, the most frequent ones first: all of a program is matched against this.
TOKEN = rf"""
    L(?:"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')      # a wide literal
  | [A-Za-z_$][\w$]*
  | [](){{}},;[~?]
  | [0-9]{_DIGITS} | \.[0-9]{_DIGITS}
  | "(?:[^"\\\n]|\\.)*"
  | '(?:[^'\\\n]|\\.)*'
  | <<=? | >>=? | <[=:%]? | >=? | -[->=]? | \+[+=]? | &[&=]? | \|[|=]? | [=!*/^]=? | %(?:[=>]|:(?:%:)?)? | \.(?:\.\.)? | :>?
  | {IDENTIFIER}
"""
_TOKENS = re.compile(f"(?:{TOKEN} | \\#[^\n]*)\\s*", re.VERBOSE)  # each with the white space behind it

# The pragmas that the analysis reads. Others are some other compiler's, and stand where no statement can.
_PRAGMA = re.compile(r"#\s*pragma\s+(?:OPENCL|STDC|pack|unroll|nounroll|(?:clang|GCC)\s+(?:fp|unroll|nounroll))\b")

_KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool half
    typeof asm kernel global local constant private read_only write_only read_write vec_step
"""
_SPELLINGS = {
    **{word: word for word in _KEYWORDS.split()},
    "_Bool": "bool",
    **{f"__{w}": w for w in ("const", "restrict", "volatile", "inline", "signed", "typeof", "asm", "attribute", "alignof")},
    **{f"__{w}__": w for w in ("const", "restrict", "volatile", "inline", "signed", "typeof", "asm", "attribute", "alignof")},
    **{f"__{w}": w for w in ("kernel", "global", "local", "constant", "private", "read_only", "write_only", "read_write")},
    "_Alignof": "alignof",
    "_Alignas": "alignas",
    "_Noreturn": "noreturn",
    "_Static_assert": "static_assert",
    "__extension__": "extension",
    "__builtin_offsetof": "offsetof",
    **dict.fromkeys(("_Complex", "__complex", "__complex__", "_Imaginary"), "complex"),
    **dict.fromkeys(("__real", "__real__", "__imag", "__imag__"), "part"),
    "<:": "[", ":>": "]", "<%": "{", "%>": "}",
    **{each: each for each in "[](){},;~?<>=!*/^%+-&|.:"},
}  # fmt: skip
_SPELLINGS_20 = _SPELLINGS | {"generic": "generic", "__generic": "generic", "pipe": "pipe", "__pipe": "pipe"}

_INT = re.compile(r"(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)(?:[uU](?:ll|LL|[lL])?|(?:ll|LL|[lL])[uU]?)?")
_FLOAT = re.compile(
    r"""(?: (?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)? | [0-9]+[eE][+-]?[0-9]+
          | 0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+ )(?:[fF]16|[fFhHlL])?""",
    re.VERBOSE,
)
_INT_DIGITS = re.compile(r"0[xX][0-9a-fA-F]*|0[bB][01]*|[0-9]+")
_IMAGINARY = re.compile(r"[fFlLuU]*[ijIJ][fFlLuU]*")  # GNU C's suffixes
_FLOAT_DIGITS = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class Tokens:
    """Three lists of equal length; the last token is always "end"."""

    def __init__(self, kinds: list[str], values: list[str], offsets: list[int]):
        self.kinds, self.values, self.offsets = kinds, values, offsets


def tokenize(pre: SourceMap, diagnostics: Diagnostics, dialect: Dialect) -> Tokens:
    """Cut the text; characters that begin no token and malformed literals are reported."""
    text = pre.text
    start = len(text) - len(text.lstrip())
    parts = _TOKENS.findall(text, start)
    offsets = list(accumulate(map(len, parts), initial=start))
    if offsets[-1] != len(text):
        offsets = [match.start() for match in _TOKENS.finditer(text, start)] + [len(text)]
        _report_strays(pre, start, diagnostics)
    # Most tokens stand in a program again and again: each spelling is made, and looked at, once.
    spelled = {part: part.partition("\n")[0] if part[0] == "#" else part.rstrip() for part in set(parts)}
    values = list(map(spelled.__getitem__, parts))
    spellings = _SPELLINGS_20 if dialect.version >= 200 else _SPELLINGS
    kind_of = {value: spellings.get(value) or _classify(value) for value in spelled.values()}
    if "" in kind_of.values():
        _report_malformed(values, offsets, kind_of, pre, diagnostics)
    kinds = list(map(kind_of.__getitem__, values))
    if any(kind == "pragma" and not _PRAGMA.match(value) for value, kind in kind_of.items()):
        kept = [i for i, kind in enumerate(kinds) if kind != "pragma" or _PRAGMA.match(values[i])]
        kinds, values = [kinds[i] for i in kept], [values[i] for i in kept]
        offsets = [*(offsets[i] for i in kept), offsets[-1]]
    kinds.append("end")
    values.append("")
    return Tokens(kinds, values, offsets)


def is_name(token: str) -> bool:
    """Whether the token is an identifier, or a keyword."""
    return (token[:1].isalpha() or token[:1] in ("_", "$")) and token[-1] not in "\"'"


def _classify(value: str) -> str:
    """The kind of a token that is no keyword; "" for a malformed literal."""
    first = value[0]
    if value[-1] in "\"'" and first == "L":
        return "wide string" if value[1] == '"' else "character" if len(value) > 3 else ""
    if first.isalpha() or first in "_$":
        return "id"
    if first.isdigit() or (first == "." and value not in (".", "...")):
        return "integer" if _INT.fullmatch(value) else "floating" if _FLOAT.fullmatch(value) else ""
    if first == '"':
        return "string"
    if first == "'":
        return "character" if len(value) > 2 else ""
    if first == "#":
        return "pragma" if value[1:].lstrip().startswith("pragma") else ""
    return value


def _report_strays(pre: SourceMap, start: int, diagnostics: Diagnostics) -> None:
    """Report what stands between tokens and is no white space."""
    for match in _TOKENS.finditer(pre.text, start):
        if match.start() > start:
            _report_stray(pre.text[start : match.start()], start, pre, diagnostics)
        start = match.end()
    _report_stray(pre.text[start:], start, pre, diagnostics)


def _report_stray(gap: str, offset: int, pre: SourceMap, diagnostics: Diagnostics) -> None:
    for i, character in enumerate(gap):
        if character.isspace():
            continue
        if character == "\0":  # as a length has it that counts the text's end
            if gap.index(character) == i:
                diagnostics.warning("null character ignored", pre.locate(offset + i))
            continue
        position = pre.locate(offset + i)
        if character in "\"'":
            diagnostics.error(f"missing terminating {character} character", position)
            return
        shown = f"'{character}'" if character.isprintable() else f"U+{ord(character):04X}"
        diagnostics.error(f"unexpected character {shown}", position)


def _report_malformed(
    values: list[str], offsets: list[int], kind_of: dict[str, str], pre: SourceMap, diagnostics: Diagnostics
) -> None:
    """Report each malformed token where it stands, and go on as if it were a good one of its kind."""
    for value, offset in zip(values, offsets, strict=False):
        if not kind_of[value]:
            diagnostics.error(_complaint(value), pre.locate(offset))
    for value, kind in kind_of.items():
        if not kind:
            kind_of[value] = {"'": "character", "L": "character", "#": "pragma"}.get(value[0], "integer")


def _complaint(value: str) -> str:
    """What clang says of a literal that is none."""
    if value[0] in "'L":
        return "empty character constant"
    if value[0] == "#":
        return "expected identifier or '('"
    is_float = "." in value or ("e" in value.lower() and not value.lower().startswith("0x")) or "p" in value.lower()
    kind = "floating" if is_float else "integer"
    octal = re.fullmatch(r"0[0-7]*([89])[0-9]*", value)
    if octal:
        return f"invalid digit '{octal[1]}' in octal constant"
    match = (_FLOAT_DIGITS if is_float else _INT_DIGITS).match(value)
    suffix = value[match.end() :] if match else value
    if _IMAGINARY.fullmatch(suffix):
        return "imaginary constants are not supported by cl2cuda"
    return f"invalid suffix '{suffix}' on {kind} constant"
