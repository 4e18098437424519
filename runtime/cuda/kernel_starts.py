"""What the kernels of a translated program begin with, beside what the translator has them begin with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...translator import Translation

# As the translator prints it, on one line or wrapped (translator/division.py). The pattern begins with a word, for which `re` searches in
# a quarter of the time that it takes to look at the start of each line.
_HEAD = re.compile(r"(__global__ (?<=^.{11})[^{;]*\) \{)$", re.MULTILINE)
_CALLED = re.compile(r"\b(\w+)\(")


def beginning(translation: Translation, statements: Mapping[str, str]) -> Translation | None:
    """The program whose kernels begin with these statements, by their names in C++; None where one of them is not found. Lines stay where
    they are."""
    found: set[str] = set()

    def begun(head: re.Match[str]) -> str:
        name = next((called for called in _CALLED.findall(head[1]) if called in statements), None)
        if name is None:
            return head[1]
        found.add(name)
        return f"{head[1]} {statements[name]}"

    text = _HEAD.sub(begun, translation.user_source)
    return replace(translation, user_source=text) if found == statements.keys() else None
