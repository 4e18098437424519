"""A translation divided by its kernels, so that several compilers can work on one program side by side.

A kernel's definition begins with a line `__global__ ...` and ends with the next line `}`, and nothing else in the text refers to it: what
other functions call is its body, a function of its own. So a part is the whole text with the lines of other parts' kernels left empty;
functions that no kernel of the part calls cost the compiler little.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from .translation import Translation

_CALLED = re.compile(r"\b(\w+)\(")
_USING = re.compile(r"using \w+::(\w+);")


def divided(translation: Translation, most: int, lines: int) -> tuple[Translation, ...]:
    """At most `most` parts, of about the same length and of at least so many lines on average; the program itself if that is one.
    Together they have each kernel once."""
    texts = translation.user_source.split("\n")
    count = min(most, len(translation.kernels), (len(texts) - texts.count("")) // lines)
    if count < 2 or translation.global_size:  # There must be one of each variable.
        return (translation,)
    names = {kernel.cxx_name for kernel in translation.kernels}
    places = _definitions(texts, names)
    if places.keys() != names:
        return (translation,)
    using = {found[1]: number for number, text in enumerate(texts) if text.startswith("using ") and (found := _USING.fullmatch(text))}
    parts = []
    for chosen in _groups({name: len(place) for name, place in places.items()}, count):
        kept = list(texts)
        for name in names - chosen:
            for number in (*places[name], *([using[name]] if name in using else [])):
                kept[number] = ""
        parts.append(replace(
            translation, user_source="\n".join(kept), kernels=tuple(kernel for kernel in translation.kernels if kernel.cxx_name in chosen)))
    return tuple(parts)


def _definitions(texts: Sequence[str], names: set[str]) -> dict[str, range]:
    """The lines of each kernel's definition, by its name in C++."""
    found: dict[str, range] = {}
    lines = [*texts, "}"]  # Each that begins has an end, also what is only declared.
    for start in [number for number, text in enumerate(texts) if text.startswith("__global__ ")]:
        end = lines.index("}", start) + 1
        name = next((called[1] for called in _CALLED.finditer(" ".join(texts[start:end])) if called[1] in names), None)
        if name is not None:
            found[name] = range(start, end)
    return found


def _groups(lengths: dict[str, int], count: int) -> list[set[str]]:
    """The names in so many groups: the longest first, each into the group that is shortest then."""
    groups: list[set[str]] = [set() for _ in range(count)]
    totals = [0] * count
    for name in sorted(lengths, key=lambda name: -lengths[name]):
        shortest = totals.index(min(totals))
        groups[shortest].add(name)
        totals[shortest] += lengths[name]
    return groups
