"""The files of entry points that are imported when one of their functions is first called."""

from __future__ import annotations

import importlib
from types import ModuleType

# In the order in which they are looked for: what many programs call comes first.
FILES = ("program", "kernel", "svm", "image", "sampler", "usm", "semaphore", "command_buffer", "graphics")


def file(name: str) -> ModuleType:
    return importlib.import_module(f".{name}", __package__)
