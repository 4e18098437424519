"""CuPy's bindings of the CUDA driver, `cupy_backends`, made ready without CuPy.

When they look up the driver's functions, at the first call, they write a line to CuPy's log, for which they import `cupy`: a third of
a second, NumPy with it, for a line that nobody wants unless CUPY_DEBUG_LIBRARY_LOAD is 1.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

CUPY_LOGS = "CUPY_DEBUG_LIBRARY_LOAD"


def find_functions(driver: Any) -> None:
    """Has CuPy's module look up the driver's functions, with `CupysLog` in CuPy's place meanwhile."""
    if "cupy" in sys.modules or os.environ.get(CUPY_LOGS) == "1":
        return
    stand_in = CupysLog()
    sys.modules["cupy"] = stand_in
    try:
        with contextlib.suppress(driver.CUDADriverError):  # CUDA has not been initialized yet.
            driver.ctxGetCurrent()
    finally:
        stand_in.leave()


class CupysLog(ModuleType):
    """`cupy` with the log alone, which drops what it is told. Who asks for anything else, a program's other thread that imports CuPy at
    this moment, is given CuPy's own."""

    def __init__(self) -> None:
        super().__init__("cupy")
        self._environment = SimpleNamespace(_log=lambda message: None)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what the import system asks of a module
            raise AttributeError(name)
        self.leave()
        return getattr(importlib.import_module("cupy"), name)

    def leave(self) -> None:
        if sys.modules.get("cupy") is self:
            del sys.modules["cupy"]
