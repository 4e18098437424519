"""NVTX ranges: NVIDIA's tools show each command by its name, on the thread that gave it to the device and, for what it started there, on
the device; each queue is a domain. On with CL2CUDA_NVTX=1, by the package `nvtx`; it costs nothing otherwise.
"""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Iterator
from typing import Any

from . import environment

VARIABLE = "CL2CUDA_NVTX"
HOST = "cl2cuda"  # the domain of what belongs to no queue
MISSING = f"{VARIABLE} is set, and the package nvtx is not installed: pip install 'cl2cuda[nvtx]'"

_wanted = environment.flag(VARIABLE)
_lock = threading.Lock()
_domains: dict[str, Domain] = {}


class Domain:
    """An NVTX domain. A range ends in the thread that began it, the last one first."""

    def __init__(self, module: Any, name: str):
        self._domain = module.get_domain(name)
        self._attributes: dict[tuple[str, str], Any] = {}

    @contextlib.contextmanager
    def range(self, label: str, category: str) -> Iterator[None]:
        attributes = self._attributes.get((label, category))
        if attributes is None:
            attributes = self._attributes[label, category] = self._domain.get_event_attributes(message=label, category=category)
        self._domain.push_range(attributes)
        try:
            yield
        finally:
            self._domain.pop_range()


def wanted() -> bool:
    """Whether the environment asked for ranges when the process began."""
    return _wanted


def domain(name: str) -> Domain | None:
    """None where nobody wants ranges, or they cannot be: then a warning says so once."""
    if not _wanted:
        return None
    try:
        import nvtx
    except ImportError:
        warnings.warn(MISSING, RuntimeWarning, stacklevel=2)
        return None
    with _lock:
        if name not in _domains:
            _domains[name] = Domain(nvtx, name)
        return _domains[name]


def span(name: str) -> contextlib.AbstractContextManager[None]:
    """A `with` block that is something the host does; nothing where nobody wants ranges."""
    found = domain(HOST)
    return found.range(name, "host") if found is not None else contextlib.nullcontext()
