"""Modules that were imported over PyOpenCL's own compiled module, imported again over cl2cuda: for who comes when nothing has been done
with them yet.

pytest imports the packages that its `filterwarnings` lines name before any plugin, and such a package may import pyopencl. Every module
that holds something of PyOpenCL's, or of another such module, is executed again, in the order in which they import each other. Its module
object stays, so that whoever has it sees what it holds now.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
import warnings
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

from .install import COMPILED_MODULE, InstalledTooLate, install

PACKAGE = "pyopencl"


def import_again() -> None:
    """`install`, also where PyOpenCL has been imported with its own compiled module.

    Raises InstalledTooLate, and changes nothing, where one of the modules over it is still being executed, as the script is.
    """
    modules = _dependents()
    for module in modules.values():
        if _running(module):
            raise InstalledTooLate(f"by {module.__name__}, which is not through yet")
    again = _Again(dict(modules))
    for name in (COMPILED_MODULE, *modules):
        del sys.modules[name]
    install()
    sys.meta_path.insert(0, again)
    try:
        for name in modules:
            importlib.import_module(name)
    finally:
        sys.meta_path.remove(again)
    _renew_filters(modules)


class _Again:
    """Finds the modules where the other finders do, and has them executed in the module objects that they had."""

    def __init__(self, modules: dict[str, ModuleType]):
        self.modules = modules

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        module = self.modules.pop(name, None)
        if module is None:  # Or the search below has come here again.
            return None
        for finder in sys.meta_path:
            if (spec := finder.find_spec(name, path, target)) is not None:
                spec.loader = _SameObject(spec.loader, module)  # type: ignore[assignment]
                return spec
        return None


class _SameObject:
    """A module's own loader, but for the module object."""

    def __init__(self, loader: Any, module: ModuleType):
        self.loader, self.module = loader, module

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__.loader = self.loader  # type: ignore[union-attr]
        self.loader.exec_module(module)


def _dependents() -> dict[str, ModuleType]:
    """PyOpenCL's Python modules, and those that hold an object of theirs or of another such module."""
    others = sys.stdlib_module_names - {"__main__"} | {__package__}
    candidates = {name: module for name, module in list(sys.modules.items())
                  if isinstance(module, ModuleType) and name.partition(".")[0] not in others}
    found = {name for name in candidates if name.partition(".")[0] == PACKAGE}
    grown = True
    while grown:
        more = {name for name in candidates.keys() - found if _holds(list(vars(candidates[name]).values()), found)}
        found |= more
        grown = bool(more)
    return {name: module for name, module in candidates.items() if name in found and (name == "__main__" or _is_python(module))}


def _is_python(module: ModuleType) -> bool:
    """Whether the module has code of its own that can be executed again. Compiled code cannot; it finds what it uses of other modules
    in their module objects, as a rule."""
    loader = getattr(module.__spec__, "loader", None)
    return getattr(module, "__file__", None) is not None and not isinstance(loader, importlib.machinery.ExtensionFileLoader)


def _holds(values: Iterable[Any], names: set[str]) -> bool:
    """Whether one of the values is one of the modules, was defined in one, or is an object of a class, or a class over one, that was."""
    for value in values:
        if isinstance(value, ModuleType):
            if value.__name__ in names:
                return True
            continue
        bases = value.__mro__ if isinstance(value, type) else (value, type(value))
        if any(_home(each) in names for each in bases):
            return True
    return False


def _home(value: Any) -> str:
    """The name of the module that says it has defined the value."""
    try:
        name = value.__module__
    except Exception:  # Objects that load something, or refuse.
        return ""
    return name if isinstance(name, str) else ""


def _running(module: ModuleType) -> bool:
    if module.__name__ == "__main__" or getattr(module.__spec__, "_initializing", False):
        return True
    frame = sys._getframe()
    while frame is not None:
        if frame.f_globals is vars(module):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def _renew_filters(modules: dict[str, ModuleType]) -> None:
    """Warnings are told by their classes, which are others now."""
    for place, (action, message, category, module, line) in enumerate(warnings.filters):
        if isinstance(category, type) and category.__module__ in modules:
            now = getattr(modules[category.__module__], category.__qualname__, category)
            warnings.filters[place] = (action, message, now, module, line)  # type: ignore[index]
