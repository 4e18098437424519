"""Processes know of functions that earlier ones have found right (runtime/build/checked_functions.py)."""

import os
import stat

import pytest

from cl2cuda.runtime.build import checked_functions
from cl2cuda.runtime.build.build import LinkStep, SourceStep
from cl2cuda.runtime.process import disk_cache
from cl2cuda.translator import CheckedFunctions, parse_options
from cl2cuda.translator.opencl_c import checked_functions as translators
from cl2cuda.translator.options import LinkOptions

SOURCE = "int unused(int x) { return x + 1; }\nkernel void k(global int *out) { out[0] = 2; }"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("CL2CUDA_NO_CACHE", raising=False)
    monkeypatch.setattr(translators, "WORTH_CHECKING", 0)
    return tmp_path / "cache"


@pytest.fixture
def process(monkeypatch):
    """Begins as another process does; what it knows."""

    def begin():
        known = CheckedFunctions(checked_functions._load)
        monkeypatch.setattr(checked_functions, "known", lambda: known)
        return known

    begin()
    return begin


def step(source=SOURCE, options=""):
    return SourceStep(source, options, parse_options(options))


def test_the_next_process_knows(process, folder):
    assert step().translation.kernels and (folder / checked_functions.FILE).exists()
    known = process()
    assert len(known.to_bytes()) == 2 * translators.SIZE
    written = os.stat(folder / checked_functions.FILE).st_mtime_ns
    assert "unused" not in step(SOURCE.replace("= 2", "= 3")).translation.user_source
    assert len(known.to_bytes()) == 3 * translators.SIZE and os.stat(folder / checked_functions.FILE).st_mtime_ns > written


def test_objects_are_known_when_they_are_linked(process, monkeypatch):
    compiled = step().compiled_object().objects
    seen, select = [], translators.Checking.select
    monkeypatch.setattr(translators.Checking, "select", lambda self, text, tokens: seen.append(select(self, text, tokens)) or seen[-1])
    assert LinkStep(compiled, "", LinkOptions()).translation.kernels
    assert "unused" not in seen[0].values and "k" in seen[0].values


@pytest.mark.parametrize("data", [b"", b"short", b"0" * 16, b"0" * 1000])
def test_a_file_that_is_not_ours_is_written_anew(process, folder, data):
    folder.mkdir()
    (folder / checked_functions.FILE).write_bytes(data)
    assert step().translation.kernels
    assert len(process().to_bytes()) == 2 * translators.SIZE


def test_another_edition_knows_nothing(process, monkeypatch):
    assert step().translation.kernels
    monkeypatch.setattr(disk_cache, "edition", lambda: "f" * 16)
    assert not process().to_bytes()


@pytest.mark.parametrize("how", ["no cache", "no room", "a file is there", "read-only"])
def test_where_nothing_can_be_kept_programs_are_translated(process, folder, monkeypatch, how):
    if how == "no cache":
        monkeypatch.setenv("CL2CUDA_NO_CACHE", "1")
    elif how == "no room":
        monkeypatch.setenv("CL2CUDA_CACHE_SIZE", "0")
    elif how == "a file is there":
        folder.write_text("not a folder")
    else:
        folder.mkdir()
        folder.chmod(stat.S_IRUSR)
    try:
        assert step().translation.kernels and step(SOURCE + "\n").translation.kernels
    finally:
        if how == "read-only":
            folder.chmod(stat.S_IRWXU)
    if how != "read-only" or os.getuid():  # who may do anything
        assert not process().to_bytes()
