"""Query tables: what every clGet*Info call answers from. One row a query: name, OpenCL type, value. The code
is that of the name.

The type is the specification's (without `cl_`): "uint", "ulong", "size_t", "bool", "bitfield", "enum",
"string", "bytes", "object", with "[]" for arrays and "name_version[]" for tuples of (name, version). Values
are plain Python ones; whoever needs bytes packs them by the type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

from . import codes
from .errors import CLError

Subject = TypeVar("Subject")

_CODES = vars(codes)


class NotOffered(Exception):
    """A row's value does not exist for this object, for example a CUDA attribute of the host device."""


class Query(NamedTuple):
    """One row: the query's name and code, the type of its answer, and what answers it."""

    name: str
    code: int
    type: str
    value: Callable[[Any], object]


class QueryTable(Generic[Subject]):
    """The queries of one kind of object, by code. `routine` is the API call that errors name; the rows are
    (name, type, value)."""

    def __init__(self, routine: str, rows: Iterable[tuple[str, str, Callable[[Subject], object]]]):
        self.routine = routine
        self.rows = tuple(Query(name, _CODES[name], type_, value) for name, type_, value in rows)
        self.by_code = {row.code: row for row in self.rows}

    def get(self, subject: Subject, code: int) -> Any:
        """The value, of the Python type that goes with the row's; CLError INVALID_VALUE for a code that the
        table does not hold."""
        row = self.by_code.get(code)
        if row is None:
            raise CLError(self.routine, "INVALID_VALUE", f"no query has the code {code:#x} here")
        try:
            return row.value(subject)
        except NotOffered:
            raise CLError(self.routine, "INVALID_VALUE", f"{row.name} is not offered by this object") from None


def version(major: int, minor: int = 0, patch: int = 0) -> int:
    """cl_version (3.4.3.1): 10 bits major, 10 bits minor, 12 bits patch."""
    return major << 22 | minor << 12 | patch
