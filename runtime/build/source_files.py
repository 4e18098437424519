"""Files of programs' sources, for debuggers, profilers and sanitizers to show: a program that is built with -g is kept as one, in the
cache's folder, since its text may have come from anywhere. It stays there until someone deletes it.
"""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

from ...translator import Translation
from ..process import disk_cache

UNNAMED = "<program>"  # a source's own name in its line map


def with_file(translation: Translation, source: str) -> Translation:
    """The translation with the lines of a file; as it was where there is no folder for files, or it cannot be written."""
    path = keep(source)
    if path is None:
        return translation
    places = tuple((str(path), place[1]) if place and place[0] == UNNAMED else place for place in translation.line_map)
    return dataclasses.replace(translation, line_map=places)


def keep(source: str) -> Path | None:
    folder = disk_cache.root()
    if folder is None:
        return None
    path = folder / "sources" / f"{hashlib.sha256(source.encode()).hexdigest()[:16]}.cl"
    try:
        if not path.exists():
            disk_cache.write(path, source.encode())
    except OSError:  # The cache of programs, beside it, says what is wrong.
        return None
    return path
