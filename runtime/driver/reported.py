"""A driver's error becomes the error of the OpenCL routine that asked for what failed: here, and nowhere
else.

`with reported(routine):` does it for all that is inside, and with OpenGL's errors too. Where a call must cost nothing, as in a launch, an
`except` clause raises `cl_error(routine, error)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from ..opengl.library import GraphicsError
from ..spec.errors import CLError
from .interface import DriverError


def cl_error(routine: str, error: DriverError | GraphicsError, status: str | None = None) -> CLError:
    """The routine's error, with the driver's status unless the specification has another one for this
    failure."""
    return CLError(routine, status or error.status, str(error))


@contextmanager
def graphics_errors() -> Iterator[None]:
    """OpenGL's errors as DriverError, which is what a command's work may raise."""
    try:
        yield
    except GraphicsError as error:
        raise DriverError(str(error), error.status) from error


class reported:
    """A context manager: a DriverError inside is raised as the routine's CLError."""

    __slots__ = ("_routine", "_status")

    def __init__(self, routine: str, status: str | None = None):
        self._routine, self._status = routine, status

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if isinstance(error, (DriverError, GraphicsError)):
            raise cl_error(self._routine, error, self._status) from error
