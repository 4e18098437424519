"""The characters of a literal, in the spelling that OpenCL C, C++ and the representation share (C99 6.4.4.4)."""

from __future__ import annotations

import re

_SIMPLE = {"n": 10, "t": 9, "r": 13, "b": 8, "f": 12, "v": 11, "a": 7, "0": 0, "\\": 92, "'": 39, '"': 34, "?": 63, "e": 27}
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.S)


def characters(text: str) -> list[int]:
    """The character codes of what stands between the quotes of a character or string literal."""
    codes: list[int] = []
    at = 0
    for match in _ESCAPE.finditer(text):
        codes += text[at : match.start()].encode()
        escape = match[1]
        if escape[0] in "01234567":
            codes.append(int(escape, 8) & 0xFF)
        elif escape[0] == "x" and len(escape) > 1:
            codes.append(int(escape[1:], 16) & 0xFF)
        elif escape[0] in "uU" and len(escape) > 1:
            codes += _universal(escape).encode(errors="replace")
        else:
            codes.append(_SIMPLE.get(escape, ord(escape[0]) & 0xFF))
        at = match.end()
    return codes + list(text[at:].encode())


_UNIVERSAL = re.compile(r"(?<!\\)((?:\\\\)*)\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})")


def in_bytes(text: str) -> str:
    """The literal with its universal character names as bytes of UTF-8: what they are in C++ depends on the compiler's character set."""
    return _UNIVERSAL.sub(lambda match: match[1] + "".join(f"\\{byte:03o}" for byte in _universal(match[2]).encode(errors="replace")), text)


def wide_characters(text: str) -> list[int]:
    """The same of a wide literal, whose characters are of 32 bits."""
    codes: list[int] = []
    at = 0
    for match in _ESCAPE.finditer(text):
        codes += map(ord, text[at : match.start()])
        escape = match[1]
        if escape[0] in "01234567":
            codes.append(int(escape, 8))
        elif escape[0] == "x" and len(escape) > 1:
            codes.append(int(escape[1:], 16) & 0xFFFFFFFF)
        elif escape[0] in "uU" and len(escape) > 1:
            codes.append(ord(_universal(escape)))
        else:
            codes.append(_SIMPLE.get(escape, ord(escape[0])))
        at = match.end()
    return codes + list(map(ord, text[at:]))


def _universal(escape: str) -> str:
    """The character that a universal character name means (C99 6.4.3)."""
    code = int(escape[1:], 16)
    return chr(code) if code < 0x110000 else "\N{REPLACEMENT CHARACTER}"


def character_value(codes: list[int]) -> int:
    """What a character constant of one to four characters is as an int."""
    return int.from_bytes(bytes(codes), "big", signed=len(codes) in (1, 4))
