"""The disk cache: what hits, what misses, what is damaged."""

import pytest
from conftest import kernel_info

from cl2cuda.runtime import cache
from cl2cuda.runtime.program import Program


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(tmp_path / "deep" / "cache"))
    monkeypatch.delenv("CL2CUDA_NO_CACHE", raising=False)
    return tmp_path


def build(fake, source="source", options=""):
    """How often that made the driver compile."""
    fake.kernels[:] = [kernel_info("add")]
    before = fake.driver.compiled
    program = Program(fake.context, source)
    program.build(options)
    assert program.kernel_names == ("add",)
    return fake.driver.compiled - before


def files():
    return sorted(cache.directory().iterdir())


def test_a_second_build_compiles_nothing(fake):
    assert build(fake) == 1
    assert build(fake) == 0
    assert fake.translated == 1
    assert len(files()) == 1


def test_whatever_decides_the_result_makes_another_entry(fake, monkeypatch):
    assert [build(fake), build(fake, "other"), build(fake, options="-cl-std=CL2.0")] == [1, 1, 1]
    fake.driver.identity = "fake compiler 2"
    assert build(fake) == 1
    monkeypatch.setattr(cache, "VERSION", "another")
    assert build(fake) == 1
    assert len(files()) == 5


@pytest.mark.parametrize("damage", [
    lambda data: b"", lambda data: data[:-1], lambda data: data[:-1] + b"x", lambda data: b"x" + data[1:], lambda data: data * 2,
])
def test_damaged_entries_are_built_anew(fake, damage):
    build(fake)
    (path,) = files()
    path.write_bytes(damage(path.read_bytes()))
    assert build(fake) == 1
    assert build(fake) == 0


def test_an_entry_under_another_name_is_not_taken(fake):
    build(fake)
    (path,) = files()
    build(fake, "other")
    (other,) = (one for one in files() if one != path)
    other.write_bytes(path.read_bytes())
    assert build(fake, "other") == 1


def test_headers_count(fake, folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "inc").mkdir()
    source = '#include "a.h"\n#  include <b.h>\n'
    (folder / "inc" / "a.h").write_text('#include "c.h"\n')
    (folder / "inc" / "b.h").write_text("")
    (folder / "inc" / "c.h").write_text("1")
    options = f"-I{folder / 'inc'}"
    assert [build(fake, source, options), build(fake, source, options)] == [1, 0]
    (folder / "inc" / "c.h").write_text("2")
    assert [build(fake, source, options), build(fake, source, options)] == [1, 0]
    (folder / "a.h").write_text("")  # found before the other
    assert build(fake, source, options) == 1


def test_an_include_whose_name_is_a_macro_is_not_cached(fake):
    assert [build(fake, "#include NAME\n"), build(fake, "#include NAME\n")] == [1, 1]


def test_no_cache(fake, monkeypatch):
    monkeypatch.setenv("CL2CUDA_NO_CACHE", "1")
    assert [build(fake), build(fake)] == [1, 1]
    assert cache.directory() is None


def test_a_cache_that_cannot_be_written_is_no_error(fake, folder, monkeypatch):
    (folder / "file").write_text("")
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(folder / "file"))
    assert [build(fake), build(fake)] == [1, 1]


def test_the_oldest_half_goes_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(cache, "MAX_FILES", 4)
    for number in range(6):
        cache.store(cache.key([str(number)]), b"data")
    assert len(files()) <= 4
    assert cache.load(cache.key(["5"])) == b"data"
