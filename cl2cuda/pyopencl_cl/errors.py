"""PyOpenCL's four exceptions, and the one place where the runtime's errors become them.

An exception's only argument is an `_ErrorRecord`; PyOpenCL's Python layer gives the exceptions `code`, `routine`, `what` and `str`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from ..runtime.spec.errors import CLError
from ..runtime.spec.status import STATUS

P = ParamSpec("P")
T = TypeVar("T")

_OUT_OF_MEMORY = frozenset(STATUS[name] for name in ("MEM_OBJECT_ALLOCATION_FAILURE", "OUT_OF_RESOURCES", "OUT_OF_HOST_MEMORY"))


class _ErrorRecord:
    """Which routine failed, with which status code, and why."""

    def __init__(self, routine: str, code: int, msg: str, program: Any = None) -> None:
        self._routine, self._code, self._what, self._left_behind = routine, code, msg, program

    def routine(self) -> str:
        return self._routine

    def code(self) -> int:
        return self._code

    def what(self) -> str:
        return self._what

    def is_out_of_memory(self) -> bool:
        return self._code in _OUT_OF_MEMORY

    def _program(self) -> Any:
        """The program that a failed link leaves behind."""
        from .handles import to_python

        return to_python(self._left_behind)


class Error(Exception):
    """Base of PyOpenCL's exceptions."""


class MemoryError(Error):
    """An allocation failed."""


class LogicError(Error):
    """The program used OpenCL wrongly: the status codes from INVALID_VALUE on."""


class RuntimeError(Error):
    """All other failures."""


def error_class(code: int) -> type[Error]:
    """The exception for a status code, as PyOpenCL chooses it."""
    if code == STATUS["MEM_OBJECT_ALLOCATION_FAILURE"]:
        return MemoryError
    if code <= STATUS["INVALID_VALUE"]:
        return LogicError
    return RuntimeError if code < 0 else Error


def make_error(routine: str, status: str, message: str = "") -> Error:
    """A new exception; `status` is the code's name without CL_."""
    code = STATUS[status]
    return error_class(code)(_ErrorRecord(routine, code, message))


def from_runtime(failure: CLError) -> Error:
    """The exception that says in PyOpenCL's way what the runtime said."""
    return error_class(failure.code)(_ErrorRecord(failure.routine, failure.code, failure.reason, failure.program))


def host_error(failure: CLError) -> BaseException:
    """For host memory that does not fit the purpose, PyOpenCL's users see what Python itself says of it."""
    cause = failure.__cause__
    return cause if isinstance(cause, (BufferError, TypeError, ValueError)) else from_runtime(failure)


def guarded(function: Callable[P, T]) -> Callable[P, T]:
    """The function, with the runtime's errors turned into PyOpenCL's."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except CLError as failure:
            raise from_runtime(failure) from None

    return call


def guarded_info(query: Callable[[Any, int], Any], subject: Any, param: int) -> Any:
    """`query(subject, param)` under the same translation, for the `get_info` family."""
    try:
        return query(subject, param)
    except CLError as failure:
        raise from_runtime(failure) from None
