"""The characters of a literal, in the spelling that OpenCL C, C++ and the representation share (C99 6.4.4.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_SIMPLE = {"n": 10, "t": 9, "r": 13, "b": 8, "f": 12, "v": 11, "a": 7, "0": 0, "\\": 92, "'": 39, '"': 34, "?": 63, "e": 27}
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.S)


def characters(text: str) -> list[int]:
    """The character codes of what stands between the quotes of a character or string literal: bytes of UTF-8."""
    return _codes(text, lambda part: part.encode(errors="replace"), 0xFF)


def wide_characters(text: str) -> list[int]:
    """The same of a wide literal, whose characters are of 32 bits."""
    return _codes(text, lambda part: map(ord, part), 0xFFFFFFFF)


def _codes(text: str, codes_of: Callable[[str], Iterable[int]], largest: int) -> list[int]:
    """`codes_of` gives those of characters that stand for themselves, of which none is larger; larger numbers are cut."""
    codes: list[int] = []
    at = 0
    for match in _ESCAPE.finditer(text):
        codes += codes_of(_joined(text[at : match.start()]))
        escape = match[1]
        if escape[0] in "01234567":
            codes.append(int(escape, 8) & largest)
        elif len(escape) == 1:
            codes.append(_SIMPLE.get(escape, ord(escape) & largest))
        elif escape[0] == "x":
            codes.append(int(escape[1:], 16) & largest)
        else:
            codes += codes_of(_universal(escape))
        at = match.end()
    return [*codes, *codes_of(_joined(text[at:]))]


def _joined(text: str) -> str:
    """Without the quotes between adjacent literals, which the parser leaves where an escape would swallow what comes next."""
    return text.replace('" "', "")


def in_bytes(text: str) -> str:
    """The literal with its universal character names as bytes of UTF-8: what they are in C++ depends on the compiler's character set."""

    def spelled(match: re.Match[str]) -> str:
        is_universal = match[1][0] in "uU" and len(match[1]) > 1
        return "".join(f"\\{byte:03o}" for byte in characters(match[0])) if is_universal else match[0]

    return _ESCAPE.sub(spelled, text)


def _universal(escape: str) -> str:
    """The character that a universal character name means (C99 6.4.3)."""
    code = int(escape[1:], 16)
    return chr(code) if code < 0x110000 else "\N{REPLACEMENT CHARACTER}"


def character_value(codes: list[int]) -> int:
    """What a character constant of one to four characters is as an int."""
    return int.from_bytes(bytes(codes), "big", signed=len(codes) in (1, 4))
