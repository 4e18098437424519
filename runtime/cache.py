"""The disk cache of built programs. Files are written atomically, verified when read, and removed when damaged.

A file is named by the hash of everything that decides its contents, and starts with a SHA-256 of that name and the rest, so a
file that was cut, changed or renamed is noticed. Environment: CL2CUDA_CACHE_DIR says where, CL2CUDA_NO_CACHE=1 turns it off.
A cache that cannot be written or read is no error: programs are then built anew.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import platformdirs

from ..version import VERSION

# Above so many files the oldest half goes.
MAX_FILES = 4096

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]*)"|<([^>\n]*)>|(.*))', re.MULTILINE)


def directory() -> Path | None:
    """Where the cache is; None when it is turned off."""
    if os.environ.get("CL2CUDA_NO_CACHE", "") not in ("", "0"):
        return None
    return Path(os.environ.get("CL2CUDA_CACHE_DIR") or platformdirs.user_cache_dir("cl2cuda", appauthor=False)) / "programs"


def key(parts: Iterable[str]) -> str:
    """A name for what these parts decide, beside cl2cuda's own version."""
    digest = hashlib.sha256(VERSION.encode())
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
    path = folder / name
    try:
        data = path.read_bytes()
        if data[:32] != _checksum(name, data[32:]):
            path.unlink()
            return None
        os.utime(path)  # The oldest are those that nobody has used for longest.
        return data[32:]
    except OSError:
        return None


def store(name: str, data: bytes) -> None:
    folder = directory()
    if folder is None:
        return
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix="new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(name, data) + data)
            os.replace(temporary, folder / name)
        except OSError:
            os.unlink(temporary)
            raise
        _prune(folder)
    except OSError:
        pass


def discard(name: str) -> None:
    """Forgets what proved useless although it was intact."""
    folder = directory()
    if folder is not None:
        (folder / name).unlink(missing_ok=True)


def _checksum(name: str, data: bytes) -> bytes:
    return hashlib.sha256(name.encode() + data).digest()


def _prune(folder: Path) -> None:
    paths = list(folder.iterdir())
    if len(paths) > MAX_FILES:
        for path in sorted(paths, key=lambda p: p.stat().st_mtime)[: len(paths) // 2]:
            path.unlink(missing_ok=True)


def headers(source: str, include_dirs: Sequence[str]) -> list[str] | None:
    """Path and digest of every file that the source could include, itself or through one of them.

    Conditions are not evaluated, so it is more than what is included; None if a name comes out of a macro.
    """
    found: dict[str, str] = {}
    waiting = [(source, ".")]
    while waiting:
        text, folder = waiting.pop()
        for match in _INCLUDE.finditer(text):
            name = match[1] or match[2]
            if name is None:
                return None
            for path in {os.path.join(base, name) for base in (folder, ".", *include_dirs)}:
                if path not in found and os.path.isfile(path):
                    data = Path(path).read_bytes()
                    found[path] = hashlib.sha256(data).hexdigest()
                    waiting.append((data.decode("utf-8", "replace"), os.path.dirname(path)))
    return sorted(f"{path} {digest}" for path, digest in found.items())
