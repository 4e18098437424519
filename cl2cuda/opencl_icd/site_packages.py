"""Where a Python that a program in C started finds packages: what its module `site` does, but for code that packages have put into `.pth`
files.

A line of such a file that begins with `import` is run in each start of Python: numba-cuda's, setuptools' and coverage's took 50 ms of one.
So the driver starts Python without `site` and calls `find`. The code runs before an import would fail without it, as those of editable
installations do; mostly nothing asks for it.
"""

from __future__ import annotations

import os
import sys
import threading
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# What Python's own modules try to import on any system: modules of other systems, not all of which the list has, and Jython's.
_TRIED = sys.stdlib_module_names | {"_wmi", "org"}


def find() -> None:
    """Extends sys.path as Python's own start would have, and runs sitecustomize."""
    import site

    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    is_last = sys.path[-1] == folder  # The driver has put this package's there, and it stays behind all others.
    if is_last:
        sys.path.pop()
    site.exec = _code.add  # type: ignore[attr-defined]
    try:
        site.main()
    finally:
        del site.exec  # type: ignore[attr-defined]
    if is_last and folder not in sys.path:
        sys.path.append(folder)
    if _code.lines:
        sys.meta_path.append(_code)


class _Code:
    """The lines, as a finder of modules that no other has found."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []
        self._turn = threading.Lock()
        self._failed = False

    def add(self, line: str) -> None:
        """As `site` calls `exec`."""
        self.lines.append((sys._getframe(1).f_locals["sitedir"], line))

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name in _TRIED:
            return None
        # A line may import what another thread is importing, which may wait for this lock: both go on.
        taken = self._turn.acquire(timeout=1)
        try:
            self._run()
        finally:
            if taken:
                self._turn.release()
        for finder in list(sys.meta_path):
            found = finder.find_spec(name, path, target) if finder is not self else None
            if found is not None:
                return found
        return None

    def _run(self) -> None:
        """What goes wrong is told, as `site` does, and keeps no program from running. But this is called within an import, and a line may
        ask for the module that is half imported: those that fail run once more, when another import would fail."""
        lines, self.lines = self.lines, []
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        errors = [(*line, error) for line in lines if (error := _run(*line)) is not None]
        if errors and not self._failed:
            self._failed = True
            self.lines = [(sitedir, line) for sitedir, line, _ in errors]
            sys.meta_path.append(self)
            return
        for sitedir, line, error in errors:
            print(f"cl2cuda: a .pth file in {sitedir}, {line!r}: {type(error).__name__}: {error}", file=sys.stderr)


def _run(sitedir: str, line: str) -> Exception | None:
    """Lines that setuptools has written ask the calling function for its variable `sitedir`."""
    import site

    try:
        exec(line, vars(site), {})
    except Exception as error:
        return error
    return None


_code = _Code()
