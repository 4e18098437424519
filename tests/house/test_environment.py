"""The table of environment variables: every one that the code names is a row, and the rows say what holds without them."""

import re
from pathlib import Path

import pytest

from cl2cuda.runtime.build import compiler_pool
from cl2cuda.runtime.devices.choice import DRIVERS
from cl2cuda.runtime.host import native
from cl2cuda.runtime.process import debug_mode, disk_cache, environment, trace

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [path for layer in ("cl2cuda", "runtime", "translator", "builtins") for path in (ROOT / layer).rglob("*.py")
           if not any(parent.is_symlink() for parent in path.parents)]


def test_every_variable_that_the_code_names_has_a_row():
    named = {name for path in SOURCES for name in re.findall(r"\bCL2CUDA_[A-Z_]+\b", path.read_text())}
    assert named == set(environment.VARIABLES)


def test_nobody_else_reads_them():
    asking = re.compile(r"(environ|getenv)\W[^\n]*CL2CUDA_")
    assert [path for path in SOURCES if asking.search(path.read_text())] == []


def test_the_rows_say_the_defaults_of_the_code():
    rows = environment.VARIABLES
    assert rows["CL2CUDA_CACHE_SIZE"].default == str(disk_cache.SIZE_MIB)
    assert rows["CL2CUDA_HOST_STACK"].default == str(native.STACK)
    assert rows["CL2CUDA_HOST_PATIENCE"].default == str(native.PATIENCE)
    assert rows["CL2CUDA_COMPILER_PROCESSES"].default.endswith(f"up to {compiler_pool.MOST}")
    assert all(f"`{name}`" in rows["CL2CUDA_DEVICE"].value for name in DRIVERS)
    assert {debug_mode.VARIABLE, trace.VARIABLE} <= set(rows)


@pytest.mark.parametrize("value, on", [("", False), ("0", False), ("1", True), ("yes", True)])
def test_a_flag_is_on_unless_it_is_empty_or_zero(monkeypatch, value, on):
    monkeypatch.setenv("CL2CUDA_NO_CACHE", value)
    assert environment.flag("CL2CUDA_NO_CACHE") is on


def test_a_variable_without_a_row_cannot_be_read():
    with pytest.raises(KeyError):
        environment.text("CL2CUDA_COLOUR")
