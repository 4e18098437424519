"""What the last process of a program did, by which the next one knows what to prepare: whether it translated anything, and whether it had
images. The translator is not imported ahead for programs that find all their builds in the disk cache: at their end Python would take long
to take it apart. So it is with images.

An empty file stands for a program whose last process translated nothing, and another one for a program whose last process had no image,
beside the cached programs, and for one state of cl2cuda's code. Without such a file, as in a process that may not write, a program counts
as one that does so.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from . import disk_cache, ending

FOLDER = "untranslated"
FOLDER_OF_IMAGES = "without_images"
# Of so many programs it is remembered, of the half of them where that is reached.
MOST = 1000


def translated(has_translated: Callable[[], bool], of_no_name: bool = True) -> bool:
    """Whether the last process of this program translated something, or nobody knows: then it is `of_no_name` for those of which nobody
    ever will. What this process did is noted at its end, where `has_translated` tells it."""
    did = _noted(has_translated)
    return of_no_name or disk_cache.is_empty() if did is None else did


def had_images() -> bool:
    """The same of images; programs of no name count as ones without."""
    return bool(_noted(_has_image, FOLDER_OF_IMAGES))


def note_image() -> None:
    """This process makes an image."""
    global _image_was_made
    _image_was_made = True


_image_was_made = False


def _has_image() -> bool:
    return _image_was_made


@cache
def _noted(has_done: Callable[[], bool], folder: str = FOLDER) -> bool | None:
    """The same, or None of programs without a name; whoever asks, this process's part is noted once."""
    note = _note(folder)
    if note is None:
        return None

    def keep() -> None:
        with suppress(OSError):
            _keep(note, has_done())

    atexit.register(keep)
    ending.before(keep)  # A program in C does not end its Python.
    return disk_cache.is_empty() or not note.exists()


def program() -> str | None:
    """The script, or the program in C, that the process runs; None where a person or another program tells Python what to do."""
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    if script:
        return os.path.abspath(script)
    with suppress(OSError):
        place = os.readlink("/proc/self/exe")
        if not os.path.basename(place).lower().startswith(("python", "pypy")):
            return place
    return None


def _note(folder: str = FOLDER) -> Path | None:
    root, name = disk_cache.root(), program()
    if root is None or name is None:
        return None
    return root / folder / hashlib.sha256(f"{disk_cache.edition()} {name}".encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _keep(note: Path, has_done: bool) -> None:
    if has_done:
        note.unlink(missing_ok=True)
        return
    is_new = not note.exists()
    note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    note.touch(mode=0o600)  # The oldest are those of programs that have not run for longest.
    if is_new:
        _bound(note.parent)


def _bound(folder: Path) -> None:
    notes = list(os.scandir(folder))
    if len(notes) <= MOST:
        return
    for note in sorted(notes, key=lambda each: each.stat().st_mtime)[: len(notes) - MOST // 2]:
        with suppress(FileNotFoundError):  # Another process was quicker.
            os.unlink(note.path)
