"""-g and CL2CUDA_LINE_INFO: what is built has the lines of a file that is there."""

import re
from pathlib import Path

import pytest
from support.devices import first

from cl2cuda.runtime.build import source_files
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda.program import CudaProgram
from cl2cuda.runtime.process import disk_cache
from cl2cuda.runtime.program.program import Program
from cl2cuda.translator import translate
from cl2cuda.translator.options import BuildOptions

SOURCE = "/* a program */\nkernel void twice(global int *a)\n{\n    a[get_global_id(0)] *= 2;\n}\n"


def code_of(device, options=""):
    program = Program(Context([device]), SOURCE)
    program.build(options)
    return program.binary(device).code


def files_in(code):
    """The sources that a CUDA program's line table names: DWARF has their names as they are."""
    return {each.decode() for each in re.findall(rb"[\w./-]+\.cl\b", b"".join(CudaProgram.unpack(code).plain))}


@pytest.mark.parametrize("name", ["imagined cuda", "cuda"])
def test_a_program_with_g_names_a_file_that_has_its_source(name, compiler):
    device = first(name)
    [file] = {Path(each).name for each in files_in(code_of(device, "-g"))}
    assert (disk_cache.root() / "sources" / file).read_text() == SOURCE
    assert files_in(code_of(device)) == set()


def test_the_variable_does_what_g_does(monkeypatch, compiler):
    device = first("imagined cuda")
    monkeypatch.setenv("CL2CUDA_LINE_INFO", "1")
    assert files_in(code_of(device)) == files_in(code_of(device, "-g")) != set()


def test_the_host_device_takes_it_too():
    [name] = set(re.findall(rb"[0-9a-f]{16}\.cl", code_of(first("host"), "-g")))
    assert (disk_cache.root() / "sources" / name.decode()).exists()


def test_lines_are_those_of_the_source():
    made = source_files.with_file(translate(SOURCE, BuildOptions(debug=True)), SOURCE)
    [(path, line)] = {place for text, place in zip(made.user_source.splitlines(), made.line_map, strict=False) if "*= 2" in text}
    assert Path(path).read_text().splitlines()[line - 1] == "    a[get_global_id(0)] *= 2;"


def test_without_a_folder_nothing_is_named(monkeypatch, compiler):
    monkeypatch.setenv("CL2CUDA_NO_CACHE", "1")
    made = translate(SOURCE, BuildOptions(debug=True))
    assert source_files.with_file(made, SOURCE) is made
    assert files_in(code_of(first("imagined cuda"), "-g")) == set()
