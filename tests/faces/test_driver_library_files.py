"""The files of the driver library in the cache (cl2cuda/opencl_icd/library.py) are there whole or not at all."""

from __future__ import annotations

import shutil
import threading

import pytest
from support.threads import run_together

from cl2cuda.opencl_icd import library

CONTENTS = b"the library" * 1000


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """A package that has a library, as wheels have, and an empty cache."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / library.DRIVER).write_bytes(CONTENTS)
    monkeypatch.setattr(library, "HERE", tmp_path / "package")
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(tmp_path / "cache"))


def test_nobody_finds_half_a_copy(packaged, monkeypatch):
    """One process finds what another one is copying there only when it is whole."""
    half, seen, found = threading.Event(), threading.Event(), []

    def copy_slowly(source, target):
        data = source.read_bytes()
        with open(target, "wb") as file:
            file.write(data[:100])
            file.flush()
            half.set()
            assert seen.wait(60)
            file.write(data[100:])

    quickly = shutil.copyfile
    monkeypatch.setattr(shutil, "copyfile", copy_slowly)
    first = threading.Thread(target=lambda: found.append(library.library()))
    first.start()
    try:
        assert half.wait(60)
        monkeypatch.setattr(shutil, "copyfile", quickly)
        assert library.library().read_bytes() == CONTENTS
    finally:
        seen.set()
        first.join()
    assert found == [library.library()] and found[0].read_bytes() == CONTENTS


def test_threads_write_the_files_at_once(packaged):
    found = []
    run_together(lambda: found.append((library.library(), library.vendors())), *[()] * 8)
    assert len(set(found)) == 1
    place, vendors = found[0]
    assert place.read_bytes() == CONTENTS and (vendors / "cl2cuda.icd").read_text() == f"{place}\n"
    assert sorted(each.name for each in place.parent.iterdir()) == sorted([place.name, f"{place.name}.python", "vendors"])
