"""The table of entry points against the runtime: each row names what serves it, and codes that there are."""

import importlib

import pytest

from cl2cuda.runtime.spec.entry_points import SERVED
from cl2cuda.runtime.spec.status import STATUS


@pytest.mark.parametrize("row", SERVED.values(), ids=lambda row: row.name)
def test_a_row_names_what_there_is(row):
    module, _, path = row.target.partition(":")
    found = importlib.import_module(f"cl2cuda.runtime.{module}")
    for name in path.split("."):
        found = getattr(found, name)
    assert callable(found) or isinstance(found, property)
    assert set(row.errors) <= set(STATUS)
