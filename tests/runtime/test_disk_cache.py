"""The disk cache: what hits, what misses, what goes. (tests/runtime/test_disk_cache_faults.py: what may happen to it.)"""

import itertools
import os
import shutil
import threading
import time
from random import Random

import pytest
from support.cached_builds import build, files

from cl2cuda.runtime.process import disk_cache


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(tmp_path / "deep" / "cache"))
    monkeypatch.delenv("CL2CUDA_NO_CACHE", raising=False)
    return tmp_path


def test_a_second_build_compiles_nothing(fake):
    assert build(fake) == 1
    assert build(fake) == 0
    assert fake.translated == 1
    assert len(files()) == 1


def test_whatever_decides_the_result_makes_another_entry(fake, monkeypatch):
    assert [build(fake), build(fake, "other"), build(fake, options="-cl-std=CL2.0")] == [1, 1, 1]
    fake.driver.identity = "fake compiler 2"
    assert build(fake) == 1
    monkeypatch.setattr(disk_cache, "VERSION", "another")
    assert build(fake) == 1
    assert len(files()) == 5


@pytest.mark.parametrize("damage", [
    lambda data: b"", lambda data: data[:-1], lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    lambda data: bytes([data[0] ^ 1]) + data[1:], lambda data: data * 2,
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
    assert disk_cache.directory() is None


def test_the_oldest_go_when_it_is_full(monkeypatch):
    monkeypatch.setenv("CL2CUDA_CACHE_SIZE", "1")
    names = [disk_cache.key([str(number)]) for number in range(12)]
    for number, name in enumerate(names):
        disk_cache.store(name, bytes(128 << 10))
        os.utime(disk_cache.directory() / name, (number, number)) if (disk_cache.directory() / name).exists() else None
        disk_cache.load(names[0])
    count, size = disk_cache.used()
    assert size <= 1 << 20
    assert count == len(files()) >= 5
    assert disk_cache.load(names[0]) and disk_cache.load(names[-1])  # one that is used stays, though it is the oldest
    assert disk_cache.load(names[1]) is None


def test_what_killed_processes_left_goes(monkeypatch):
    disk_cache.store("a" * 64, b"data")
    left, fresh = disk_cache.directory() / "new-left", disk_cache.directory() / "new-fresh"
    for path in (left, fresh):
        path.write_bytes(b"half")
    os.utime(left, (1, 1))
    assert disk_cache.used()[0] == 1
    assert not left.exists() and fresh.exists()


def test_an_entry_that_may_only_be_read_is_used(fake, monkeypatch):
    build(fake)
    monkeypatch.setattr(os, "utime", _refuse)
    assert build(fake) == 0


def _refuse(*args, **kwargs):
    raise PermissionError


def test_random_damage(fake):
    """Bits flipped, bytes cut off and added anywhere: built anew, with the same result, and never a wrong one."""
    random = Random(7)
    build(fake)
    (path,) = files()
    whole = path.read_bytes()
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(random.randint(1, 3)):
            at = random.randrange(len(data))
            kind = random.choice("flip cut grow".split())
            if kind == "flip":
                data[at] ^= 1 << random.randrange(8)
            elif kind == "cut":
                del data[at:]
                data += b"." * (not data)
            else:
                data[at:at] = random.randbytes(random.randint(1, 50))
        if data != whole:
            path.write_bytes(data)
            assert build(fake) == 1
            assert path.read_bytes() == whole


def test_our_own_code_counts(monkeypatch, fake):
    build(fake)
    monkeypatch.setattr(disk_cache, "edition", lambda: "another")
    assert build(fake) == 1


def test_when_a_file_was_used_is_noted_once_in_a_while(monkeypatch):
    """Whoever finds it waits for the note."""
    name, noted, utime = disk_cache.key(["one"]), [], os.utime
    disk_cache.store(name, b"data")
    monkeypatch.setattr(os, "utime", lambda *arguments: (noted.append(arguments), utime(*arguments)))
    assert [disk_cache.load(name), disk_cache.load(name)] == [b"data"] * 2 and noted == []
    for other in (-disk_cache.NOTED - 10, disk_cache.NOTED + 10):  # A clock may have been wrong.
        then = time.time() + other
        utime(disk_cache.directory() / name, (then, then))
        assert [disk_cache.load(name), disk_cache.load(name)] == [b"data"] * 2 and len(noted) == 1
        noted.clear()


@pytest.mark.parametrize("size", [0, 1, 100, 1 << 20])
def test_data_of_any_size(size):
    name = disk_cache.key(["one"])
    disk_cache.store(name, bytes(size))
    assert disk_cache.load(name) == bytes(size)
    assert disk_cache.load(disk_cache.key(["another"])) is None


def unfinished():
    return [path.name for path in disk_cache.directory().iterdir() if path.name.startswith(disk_cache.UNFINISHED)]


def test_the_file_of_what_is_being_made_may_be_begun_before():
    name = disk_cache.key(["one"])
    with disk_cache.making(name) as entry:
        disk_cache.begin()
        (begun,) = unfinished()
        disk_cache.begin()
        assert unfinished() == [begun] and disk_cache.load(name) is None and disk_cache.is_empty()
        entry.store(b"data")
        assert unfinished() == [] and disk_cache.load(name) == b"data"
    assert unfinished() == [] and disk_cache.load(name) == b"data"


def test_nothing_is_left_of_what_could_not_be_made():
    name = disk_cache.key(["one"])
    with pytest.raises(KeyError), disk_cache.making(name):
        disk_cache.begin()
        raise KeyError
    assert files() == []


@pytest.mark.parametrize("made", [True, False])
def test_the_cache_is_emptied_while_something_is_made(monkeypatch, made):
    """What goes wrong then is not hidden, and the next one is kept."""
    monkeypatch.setattr(disk_cache, "_complaints", itertools.count(1))
    name = disk_cache.key(["one"])
    with pytest.raises(KeyError), disk_cache.making(name) as entry:
        disk_cache.begin()
        shutil.rmtree(disk_cache.directory())
        if made:
            entry.store(b"data")
        raise KeyError
    disk_cache.store(name, b"data")
    assert disk_cache.load(name) == b"data" and unfinished() == []


def test_what_is_made_within_has_its_own_file():
    names = [disk_cache.key([each]) for each in "ab"]
    with disk_cache.making(names[0]) as outer:
        with disk_cache.making(names[1]) as inner:
            disk_cache.begin()
            inner.store(b"inner")
        disk_cache.begin()
        outer.store(b"outer")
    assert [disk_cache.load(each) for each in names] == [b"outer", b"inner"] and len(files()) == 2


def test_nothing_is_begun_where_nothing_is_made_or_kept(monkeypatch):
    disk_cache.begin()
    with disk_cache.making("name"):
        thread = threading.Thread(target=disk_cache.begin)  # which makes nothing
        thread.start()
        thread.join()
    assert not disk_cache.directory().exists()
    monkeypatch.setenv("CL2CUDA_NO_CACHE", "1")
    with disk_cache.making("name") as entry:
        disk_cache.begin()
        entry.store(b"data")
    assert disk_cache.load("name") is None
