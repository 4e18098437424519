"""The disk cache of built programs. Files are written atomically, verified when read, and removed when damaged.

A file is named by the hash of everything that decides its contents, and starts with a SHA-256 of that name and the rest, so a
file that was cut, changed or renamed is noticed. Processes share it without locks: a file appears whole or not at all. A cache
that cannot be written or read is no error: programs are then built anew, and a process says once that it cannot write.

Environment: CL2CUDA_CACHE_DIR says where, CL2CUDA_CACHE_SIZE how large it may grow (in MiB), CL2CUDA_NO_CACHE=1 turns it off.
"""

from __future__ import annotations

import itertools
import os
import re
import threading
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...version import VERSION
from . import environment

if TYPE_CHECKING:
    import hashlib

SIZE_MIB = 1024
# A file that is being written, by its name; one so old (in seconds) was left by a process that was killed.
UNFINISHED = "new-"
ABANDONED = 3600.0
# How exactly (in seconds) it is known when a file was last used: noting it takes the file system longer than reading.
NOTED = 3600.0

DIGEST = 32  # bytes of a SHA-256

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]*)"|<([^>\n]*)>|(.*))', re.MULTILINE)

# What this process has stored in a folder since it last looked how full that is.
_stored_since: dict[Path, int] = {}
_complaints = itertools.count()


def root() -> Path | None:
    """Where all is that cl2cuda keeps on disk; None when that is turned off, or the user has no home."""
    if environment.flag("CL2CUDA_NO_CACHE"):
        return None
    given = environment.text("CL2CUDA_CACHE_DIR")
    if given:
        return Path(given)
    # What decides it, also on other systems: who finds out waits for 20 microseconds and more.
    return _users(*map(os.environ.get, ("XDG_CACHE_HOME", "HOME", "LOCALAPPDATA", "USERPROFILE")))


@cache
def _users(*variables: str | None) -> Path | None:
    import platformdirs  # as `tempfile` below: a process that only looks at its devices asks for neither

    try:
        found = Path(platformdirs.user_cache_dir("cl2cuda", appauthor=False))
    except RuntimeError:  # Releases of platformdirs differ: this, or a "~" that would become the name of a folder.
        return None
    return found if found.is_absolute() else None


def directory() -> Path | None:
    """Where the programs are."""
    folder = root()
    return None if folder is None else folder / "programs"


def size_limit() -> int:
    """Bytes. A value that is no number counts as none given: a build must not fail because of it."""
    text = environment.text("CL2CUDA_CACHE_SIZE")
    return (int(text) if text.isdigit() else SIZE_MIB) << 20


@cache
def edition() -> str:
    """Tells one state of cl2cuda's own code from another, also where the version is the same: files change while it is worked on."""
    package = Path(__file__).resolve().parents[2]
    files = sorted(fact for layer in ("builtins", "translator", "runtime") for fact in _sources(os.path.join(package, layer)))
    return _sha256("\n".join((VERSION, *files)).encode()).hexdigest()[:16]


def _sources(folder: str) -> Iterator[str]:
    """Name, size and time of each source file. Every process that builds waits for this."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".py", ".cuh", ".cpp", ".h")):
                status = entry.stat()
                yield f"{entry.name} {status.st_size} {status.st_mtime_ns}"
            elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                yield from _sources(entry.path)


def key(parts: Iterable[str]) -> str:
    """A name for what these parts decide, beside cl2cuda itself."""
    digest = _sha256(f"{VERSION} {edition()}".encode())
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def load(name: str) -> bytes | None:
    """What was stored under the name; None if there is nothing, or nothing intact."""
    folder = directory()
    if folder is None:
        return None
    path = os.path.join(folder, name)
    try:
        with open(path, "rb", buffering=0) as file:
            data, used = file.read(), os.fstat(file.fileno()).st_mtime
        found = memoryview(data)
        if found[:DIGEST] != _checksum(name, found[DIGEST:]):
            os.unlink(path)
            return None
        if abs(time.time() - used) > NOTED:
            with suppress(OSError):  # one who may only read the cache may still use it
                os.utime(path)  # The oldest are those that nobody has used for longest.
        return data[DIGEST:]
    except OSError:
        return None


class Entry:
    """What is going to be stored under a name, and the file for it once that has been begun."""

    def __init__(self, name: str):
        self._name = name
        self._folder = directory()
        self._file: _NewFile | None = None

    def begin(self) -> None:
        if self._folder is not None and self._file is None:
            with suppress(OSError):  # `store` tries again, and tells.
                self._file = _NewFile(self._folder)

    def store(self, data: bytes) -> None:
        if self._folder is None:
            return
        try:
            self.begin()
            file, self._file = self._file or _NewFile(self._folder), None
            file.become(self._folder / self._name, _checksum(self._name, data), data)
            _bound(self._folder, len(data))
        except OSError as error:
            complain(self._folder, error)

    def drop(self) -> None:
        """Nothing is left of an entry that has not been stored."""
        file, self._file = self._file, None
        if file is not None:
            file.drop()


class _Here(threading.local):
    """What this thread is making to store it."""

    entry: Entry | None = None


_HERE = _Here()


@contextmanager
def making(name: str) -> Iterator[Entry]:
    """A block that makes what is going to be stored under the name, or dropped; it is dropped where the block fails."""
    entry, before = Entry(name), _HERE.entry
    _HERE.entry = entry
    try:
        yield entry
    except BaseException:
        entry.drop()
        raise
    finally:
        _HERE.entry = before


def begin() -> None:
    """For who waits in such a block: for a new file the file system takes longer than for all else that storing does."""
    if _HERE.entry is not None:
        _HERE.entry.begin()


def store(name: str, data: bytes) -> None:
    Entry(name).store(data)


class _NewFile:
    """A file that nobody looks for, until it is whole and has its name."""

    def __init__(self, folder: Path):
        import tempfile

        def made() -> tuple[int, str]:
            return tempfile.mkstemp(dir=folder, prefix=UNFINISHED)

        try:
            handle, self._path = made()
        except FileNotFoundError:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, self._path = made()
        self._file = os.fdopen(handle, "wb")

    def become(self, path: Path, *parts: bytes) -> None:
        try:
            with self._file as file:
                file.writelines(parts)
            os.replace(self._path, path)
        except BaseException:
            self.drop()
            raise

    def drop(self) -> None:
        with suppress(OSError):  # Somebody has emptied the cache.
            self._file.close()
            os.unlink(self._path)


def write(path: Path, *parts: bytes) -> None:
    """All of it or nothing, whoever else writes and whatever happens. OSError where that is not possible."""
    _NewFile(path.parent).become(path, *parts)


def complain(folder: Path, error: OSError) -> None:
    """Once in a process."""
    if next(_complaints) == 0:
        with suppress(Warning):  # Where warnings are errors, it is still none that a build should fail of.
            warnings.warn(f"cl2cuda cannot keep what it builds in {folder} ({error}), so that every process builds anew. "
                          "CL2CUDA_CACHE_DIR names another folder; CL2CUDA_NO_CACHE=1 asks for no cache", RuntimeWarning, stacklevel=2)


def discard(name: str) -> None:
    """Forgets what proved useless although it was intact."""
    folder = directory()
    if folder is not None:
        with suppress(OSError):
            (folder / name).unlink()


def _checksum(name: str, data: bytes | memoryview) -> bytes:
    digest = _sha256(name.encode())
    digest.update(data)
    return digest.digest()


def _sha256(data: bytes) -> hashlib._Hash:
    import hashlib  # and with it OpenSSL, which no process is to load before it builds something

    return hashlib.sha256(data)


def _bound(folder: Path, added: int) -> None:
    """Removes what was used longest ago while there is too much. Looking costs time: it is done at a process's first store, and
    again whenever the process has added a sixteenth of what is allowed."""
    limit = size_limit()
    stored = _stored_since.get(folder, limit) + added
    _stored_since[folder] = stored
    if stored < limit // 16:
        return
    _stored_since[folder] = 0
    files = _files(folder)
    total = sum(size for _, size, _ in files)
    # A little more goes than must, so that the next store does not have to look again.
    for _, size, path in sorted(files) if total > limit else ():
        with suppress(OSError):
            os.unlink(path)
        total -= size
        if total <= limit - limit // 8:
            break


def _files(folder: Path) -> list[tuple[float, int, str]]:
    """(when last used, size, path) of every entry. What was left unfinished goes at once."""
    found = []
    for entry in os.scandir(folder):
        with suppress(OSError):  # another process has removed it
            status = entry.stat()
            if entry.name.startswith(UNFINISHED):
                if time.time() - status.st_mtime > ABANDONED:
                    os.unlink(entry.path)
            else:
                found.append((status.st_mtime, status.st_size, entry.path))
    return found


def used() -> tuple[int, int]:
    """Programs and bytes in the cache, for a person who asks."""
    folder = directory()
    if folder is None or not folder.is_dir():
        return 0, 0
    files = _files(folder)
    return len(files), sum(size for _, size, _ in files)


def is_empty() -> bool:
    """No program is in the cache, or there is none: the process's first build will compile."""
    folder = directory()
    if folder is not None:
        with suppress(OSError), os.scandir(folder) as entries:
            return not any(not entry.name.startswith(UNFINISHED) for entry in entries)
    return True


def headers(texts: Iterable[str], include_dirs: Sequence[str]) -> list[str] | None:
    """Path and digest of every file that the texts could include, themselves or through one of them.

    Conditions are not evaluated, so it is more than what is included; None if a name comes out of a macro.
    """
    found: dict[str, str] = {}
    waiting = [(text, ".") for text in texts]
    while waiting:
        text, folder = waiting.pop()
        for match in _INCLUDE.finditer(text):
            name = match[1] or match[2]
            if name is None:
                return None
            for path in {os.path.join(base, name) for base in (folder, ".", *include_dirs)}:
                if path not in found and os.path.isfile(path):
                    try:
                        data = Path(path).read_bytes()
                    except OSError:  # If it is needed, the translator will say so.
                        return None
                    found[path] = _sha256(data).hexdigest()
                    waiting.append((data.decode("utf-8", "replace"), os.path.dirname(path)))
    return sorted(f"{path} {digest}" for path, digest in found.items())
