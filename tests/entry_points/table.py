"""The entry points that objects of the runtime serve: the rows of cl2cuda.runtime.spec.entry_points to test the runtime against."""

from __future__ import annotations

from cl2cuda.runtime.spec.entry_points import ENTRY_POINTS as ALL
from cl2cuda.runtime.spec.entry_points import EntryPoint

__all__ = ["ENTRY_POINTS", "EntryPoint"]

ENTRY_POINTS = {name: row for name, row in ALL.items() if row.target}
