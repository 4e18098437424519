"""What a program's last process did is known to the next one."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import environment

from cl2cuda import translator
from cl2cuda.runtime.process import disk_cache, last_process

SCRIPT = """
import sys
from cl2cuda import translator
from cl2cuda.runtime.process import last_process

print(last_process.translated(translator.was_used))
if "load" in sys.argv:
    for _ in translator.loading():
        pass
if "translate" in sys.argv:
    translator.translate("kernel void f() {}")
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache that has a program."""
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("CL2CUDA_NO_CACHE", raising=False)
    disk_cache.store("program", b"code")
    return tmp_path / "cache"


@pytest.fixture
def run(cache, tmp_path):
    def process(*arguments, name="script.py", **variables):
        script = tmp_path / name
        script.write_text(SCRIPT)
        done = subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True, timeout=300,
                              env=environment(**variables))
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.strip() == "True"

    return process


def notes(cache):
    folder = cache / last_process.FOLDER
    return sorted(folder.iterdir()) if folder.exists() else []


def test_a_program_is_known_by_what_its_last_process_did(run, cache):
    assert [run(), run(), run("load"), run("translate"), run("translate"), run(), run()] == [True, False, False, False, True, True, False]
    assert len(notes(cache)) == 1


@pytest.mark.parametrize("before", [(), ("make",)])
def test_a_program_with_images_is_known_by_what_its_last_process_had(cache, tmp_path, before):
    script = tmp_path / "script.py"
    script.write_text("""
import sys
from cl2cuda.runtime.process import last_process

print(last_process.had_images(), last_process.had_images())
if "make" in sys.argv:
    from cl2cuda.runtime.context.context import Context
    from cl2cuda.runtime.devices.platform import platforms
    from cl2cuda.runtime.image.descriptor import ImageDescriptor
    from cl2cuda.runtime.image.image import Image
    from cl2cuda.runtime.spec import codes

    Image(Context(platforms()[0].devices()[:1]), 0, (0x10B5, 0x10D2), ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 4, 4))
""")

    def process(*arguments):
        done = subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True, timeout=300,
                              env=environment(CL2CUDA_DEVICE="host"))
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.strip()

    assert process(*before) == "True True"
    assert process() == ("True True" if before else "False False")
    assert process("make") == "False False" and process() == "True True"


def test_programs_are_told_apart(run):
    run(name="one.py")
    assert run(name="other.py") and not run(name="one.py")


def test_without_cached_programs_all_are_translated(run, cache):
    run()
    disk_cache.discard("program")
    assert run()


def test_a_process_without_a_cache_remembers_nothing(run, cache):
    assert run(CL2CUDA_NO_CACHE="1") and run(CL2CUDA_NO_CACHE="1") and run()
    assert len(notes(cache)) == 1


@pytest.mark.skipif(os.name != "posix", reason="a file's modes are POSIX's")
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="nothing is closed to this user")
def test_a_folder_that_cannot_be_written_is_no_error(run, cache):
    cache.chmod(0o500)
    try:
        assert run() and run()
    finally:
        cache.chmod(0o700)


def test_where_the_folder_should_be_is_a_file(run, cache):
    (cache / last_process.FOLDER).write_text("")
    assert run() and run("translate") and run()


def test_other_code_of_cl2cuda_may_translate_anew(cache, monkeypatch):
    monkeypatch.setattr(last_process, "program", lambda: "/a/program")
    before = last_process._note()
    monkeypatch.setattr(disk_cache, "edition", lambda: "another")
    assert last_process._note() != before


def test_programs_of_no_name(monkeypatch, cache):
    """What a person types, or `python -c` is given, is another program each time."""
    monkeypatch.setattr(sys.modules["__main__"], "__file__", None, raising=False)
    monkeypatch.setattr(last_process, "_noted", last_process._noted.__wrapped__)  # Tests before this one may have asked.
    assert last_process.program() is None
    assert last_process.translated(lambda: False) and not last_process.translated(lambda: False, of_no_name=False)
    assert not last_process.had_images()
    disk_cache.store(f"{disk_cache.UNFINISHED}x", b"")
    disk_cache.discard("program")
    assert last_process.translated(lambda: False, of_no_name=False), "no program was built before"


def test_a_program_in_c_is_its_executable(monkeypatch):
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    monkeypatch.setattr(os, "readlink", lambda place: "/usr/bin/clinfo")
    assert last_process.program() == "/usr/bin/clinfo"


def test_a_program_in_c_tells_at_its_exit(cache):
    """It does not end its Python."""
    found = subprocess.run([sys.executable, "-c", """
import os
from cl2cuda import translator
from cl2cuda.opencl_icd import start
from cl2cuda.runtime.process import last_process

last_process.program = lambda: "/a/program"
print(last_process.translated(translator.was_used), last_process._note().exists())
start.end()
print(last_process._note().exists(), flush=True)
os._exit(0)
"""], capture_output=True, text=True, timeout=300, env=environment())
    assert found.stdout.split() == ["True", "False", "True"], found.stderr


def test_of_many_programs_the_oldest_are_forgotten(cache, monkeypatch):
    monkeypatch.setattr(last_process, "MOST", 10)
    folder = cache / last_process.FOLDER
    for number in range(11):
        last_process._keep(folder / str(number), False)
        os.utime(folder / str(number), (number, number))
    assert {each.name for each in notes(cache)} == {str(number) for number in range(6, 11)}


def test_what_another_process_has_removed_is_no_error(cache):
    last_process._keep(Path(cache, last_process.FOLDER, "gone"), True)


def test_what_loading_translates_is_no_use_of_the_translator():
    done = subprocess.run([sys.executable, "-c", """
from cl2cuda import translator
list(translator.loading())
print(translator.was_used())
translator.compile_object("kernel void f() {}")
print(translator.was_used())
"""], capture_output=True, text=True, timeout=300, env=environment())
    assert done.stdout.split() == ["False", "True"], done.stderr


def test_uses_of_the_translator_are_known_by_what_stages_has():
    assert vars(importlib.import_module("cl2cuda.translator.stages")).keys() >= translator._STAGES
