"""The files of entry points that are imported when one of their functions is first called; and two that nearly every program comes to,
which a thread imports while CUDA makes the first context, for which it needs no Python."""

from __future__ import annotations

import importlib
import os
import threading
from functools import cache
from types import ModuleType

# In the order in which they are looked for: what many programs call comes first.
FILES = ("program", "kernel", "svm", "image", "sampler", "usm", "semaphore", "command_buffer", "graphics")
WITH_A_CONTEXT = FILES[:2]


def file(name: str) -> ModuleType:
    return importlib.import_module(f".{name}", __package__)


@cache
def begin() -> None:
    """The first call in a process starts the thread. A fork waits for it: the child would find modules that nobody goes on importing."""
    thread = threading.Thread(target=lambda: [file(name) for name in WITH_A_CONTEXT], name="cl2cuda: import", daemon=True)
    thread.start()
    os.register_at_fork(before=thread.join)
