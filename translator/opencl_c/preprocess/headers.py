"""Where #include finds a file: the headers given with the program first, then folders on disk (OpenCL API 5.8.6.1)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from ...ir.source_map import SourceFile


class Headers:
    """`given` are the headers of clCompileProgram by their names; each file is read once."""

    def __init__(self, given: Mapping[str, str], folders: Sequence[str]):
        self.given = given
        self.folders = folders
        self._read: dict[str, SourceFile] = {}
        self._identities: dict[str, str] = {}

    def find(self, name: str, includer: str | None) -> SourceFile | None:
        """A header by name; `includer` is the including file where the name was in quotes, None for `<name>`."""
        folder = os.path.dirname(includer) if includer is not None else ""
        beside = os.path.normpath(os.path.join(folder, name)).replace("\\", "/")
        for candidate in (beside, name):
            if candidate in self.given:
                return self._file(candidate, self.given[candidate])
        for path in (os.path.join(f, name) for f in ([folder] if includer is not None else []) + list(self.folders)):
            if path in self._read:
                return self._read[path]
            if os.path.isfile(path):
                with open(path, encoding="utf-8", errors="replace") as stream:
                    return self._file(path, stream.read())
        return None

    def identity(self, file: SourceFile) -> str:
        """Which file that is: one on disk may be included by several paths, such as "a.h" and "../b/a.h", and by links."""
        name = file.name
        if name not in self._identities:
            self._identities[name] = name if name in self.given else os.path.realpath(name)
        return self._identities[name]

    def _file(self, name: str, text: str) -> SourceFile:
        if name not in self._read:
            self._read[name] = SourceFile(name, text)
        return self._read[name]
