"""The functions that this process and earlier ones have found right (translator/opencl_c/checked_functions.py): a file beside the cached
programs, for one state of cl2cuda's code. What two processes add at a time one of them may lose, which then finds it right once more.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..process import disk_cache

if TYPE_CHECKING:
    from ...translator import CheckedFunctions

FILE = "checked_functions"


def _path() -> Path | None:
    root = disk_cache.root()
    return None if root is None else root / FILE


def _load() -> bytes:
    path, edition = _path(), disk_cache.edition().encode()
    with suppress(OSError):
        data = b"" if path is None else path.read_bytes()
        if data.startswith(edition):
            return data[len(edition) :]
    return b""


@cache
def known() -> CheckedFunctions:
    """What this process knows. It is for translations: a process that has its programs in the cache imports nothing of the translator's."""
    from ...translator import CheckedFunctions

    return CheckedFunctions(_load)


def keep() -> None:
    """Writes what has come to be known. Who cannot write is told when the program is stored."""
    functions = known()
    if not functions.has_grown:
        return
    functions.has_grown = False
    path, data = _path(), functions.to_bytes()
    if path is not None and len(data) < disk_cache.size_limit():
        with suppress(OSError):
            disk_cache.write(path, disk_cache.edition().encode(), data)
