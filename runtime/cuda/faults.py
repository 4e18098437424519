"""What CUDA's errors mean to people: the faults of kernels, after which CUDA serves the process no more, and the few others that
need a word.

CUDA reports a fault at some later call, and does not say which kernel it was: named is what can have been it.
"""

from __future__ import annotations

from typing import Any

from ..driver.interface import DeviceLost, DriverError
from ..process import debug_mode

# Runtime and driver number these errors alike. cuda.h says of these that "the process must be terminated and relaunched".
FAULTS = {
    214: "the memory of the GPU has an error that cannot be corrected",
    226: "the GPU has an error that cannot be corrected",
    700: "a kernel accessed memory that is not its own: an index out of range, most likely",
    702: "a kernel ran for longer than the system allows",
    709: "the context has been destroyed, by another part of the process",
    710: "an assertion in a kernel failed",
    714: "a kernel's stack overflowed or was overwritten",
    715: "a kernel met an instruction that is none, or a trap",
    716: "a kernel accessed memory at an address that is no multiple of the type's alignment",
    717: "a kernel accessed memory of another address space than it said",
    718: "a kernel jumped to where no code is",
    719: "a kernel met a trap, or failed in a way that CUDA has no name for",
    721: "a kernel did not give back all of its tensor memory",
}
OUT_OF_MEMORY = 2
_STATUS = {OUT_OF_MEMORY: "MEM_OBJECT_ALLOCATION_FAILURE", 200: "INVALID_BINARY", 209: "INVALID_BINARY", 218: "INVALID_BINARY"}
_REMEDY = {
    OUT_OF_MEMORY: "the device has no memory left of this size",
    209: "the program was compiled for another GPU architecture",
}
# So many kernels are named.
NAMED = 6


class Suspects:
    """The kernels that a fault can have come from."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._said = ""

    def add(self, kernel: str) -> None:
        self._names[kernel] = None

    def only(self, kernel: str) -> None:
        """Notes the one kernel that can be it: in debug mode each launch is waited for before the next."""
        self._names = {kernel: None}

    def __str__(self) -> str:
        """The kernels as they were when the first fault was noticed: what was launched later has not run."""
        self._said = self._said or self._description()
        return self._said

    def _description(self) -> str:
        names = [f"'{name}'" for name in self._names]
        if not names:
            return "No kernel of cl2cuda was launched: another part of the process did it."
        if debug_mode.active():
            return f"It was kernel {names[0]}."
        listed = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
        were = "were kernels" if len(names) > 1 else "was kernel"
        return f"Launched {were} {listed}; with {debug_mode.VARIABLE}=1 the error says which one failed, and at which work-item."


def explained(error: Any, suspects: Suspects) -> DriverError:
    """The exception for an error of CuPy's."""
    number = int(getattr(error, "status", 0))
    if number in FAULTS:
        return DeviceLost(f"{error}: {FAULTS[number]}. {suspects} CUDA does nothing more for this process on the device: "
                          "start the process anew")
    remedy = f" ({_REMEDY[number]})" if number in _REMEDY else ""
    return DriverError(f"{error}{remedy}", _STATUS.get(number, "OUT_OF_RESOURCES"))
