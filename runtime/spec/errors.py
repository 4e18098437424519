"""The error every failed check raises. It names the routine, the status and the reason, and where known the remedy."""

from __future__ import annotations

from .status import STATUS


class CLError(Exception):
    """An OpenCL routine failed. `status` is the code's name without CL_, e.g. "INVALID_KERNEL_ARGS".

    program     the program that a failed clLinkProgram leaves behind, whose build log says more
    """

    program: object = None

    def __init__(self, routine: str, status: str, reason: str = ""):
        self.routine = routine
        self.status = status
        self.code = STATUS[status]
        self.reason = reason
        self.message = f"{routine} failed: {status}" + (f" - {reason}" if reason else "")
        super().__init__(self.message)

    def __reduce__(self) -> tuple[type[CLError], tuple[str, str, str]]:
        return CLError, (self.routine, self.status, self.reason)
