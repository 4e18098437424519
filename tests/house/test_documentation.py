"""The pages tell the truth: every code block of README.md, CONTRIBUTING.md, CHANGELOG.md and docs/ runs, every link leads
somewhere, and the generated pages are what `python docs/generate` writes.

A page's blocks run in a folder of their own, with the project's `examples` in it. What a block is, its fence says:

    ```c scale.cl       a file of that name, whatever its language
    ```c                OpenCL C that must translate
    ```python           runs; the blocks of a page are one program
    ```sh               runs with `sh -e`
    ```text, ```cpp     what the block before it prints; `...` stands for anything

A comment in the line before a fence says what a block needs, `<!-- needs cuda, nvcc -->` (a device, modules or programs: elsewhere it
is left out), or why it is never run: `<!-- not run: why -->`.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from support.numbas_cuda import PROBE
from support.processes import cuda_devices

from cl2cuda.builtins.extensions import OFFERED_FEATURES
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.native.build import build_for_source_tree
from cl2cuda.runtime.opengl import library as opengl

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

BLOCK = re.compile(r"^(?:<!-- (?P<comment>(?:needs|not run:) [^\n]*?) -->\n)?```(?P<language>\w*)(?: (?P<file>\S+))?\n(?P<text>.*?)^```$",
                   re.MULTILINE | re.DOTALL)
OUTPUT = ("text", "cpp")

# Files that pages speak of as the reader's own.
READERS = {
    "simulate.py": "import sys, pyopencl as cl, pyopencl.array as cl_array\ncontext = cl.create_some_context(interactive=False)\n"
                   "print(sys.argv[1:], context.devices)\nprint((cl_array.zeros(cl.CommandQueue(context), 16, 'f') + 1).get().sum())\n",
    "kernels.cl": "kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }\n",
    "test_kernels.py": "import pyopencl as cl\ndef test_a_device_is_there():\n    assert cl.get_platforms()[0].get_devices()\n",
}

# Runs the Python blocks of a page as one program; a NUL follows what each prints.
DRIVER = """
import json, sys
names = {"__name__": "__main__"}
for place, text in json.load(open("blocks.json")):
    exec(compile(text, place, "exec"), names)
    print("\\0", end="")
"""


class Block(NamedTuple):
    language: str
    text: str
    line: int
    file: str
    needs: tuple[str, ...]
    not_run: str
    prints: str | None


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    found = list(BLOCK.finditer(text))
    assert 2 * len(found) == len(re.findall(r"^```", text, re.MULTILINE)), "a fence that is not understood"
    for match, after in zip(found, [*found, None][1:], strict=True):
        prints = after["text"] if after and after["language"] in OUTPUT and not after["comment"] else None
        comment = match["comment"] or ""
        needs = tuple(comment.removeprefix("needs ").replace(",", " ").split()) if comment.startswith("needs ") else ()
        yield Block(match["language"], match["text"], text.count("\n", 0, match.start("text")), match["file"] or "", needs,
                    comment.removeprefix("not run: ") if comment.startswith("not run") else "", prints)


def is_there(need: str, device: str) -> bool:
    if need == "cuda":
        return device == "cuda"
    if need == "numba.cuda":
        return subprocess.run([sys.executable, "-c", PROBE], capture_output=True).returncode == 0
    return shutil.which(need) is not None or importlib.util.find_spec(need) is not None


def agree(found: str, expected: str | None, place: str) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert expected is None or doctest.OutputChecker().check_output(expected, found, flags), f"{place} prints\n{found}\nand not\n{expected}"


@pytest.fixture(scope="module", params=["host", "cuda"])
def device(request):
    if request.param == "cuda" and not cuda_devices():
        pytest.skip("no CUDA device")
    return request.param


@pytest.fixture
def folder(tmp_path):
    """Where a page's blocks run, with `cl2cuda` and `python` of this checkout on the path."""
    for name, text in READERS.items():
        (tmp_path / name).write_text(text)
    for name in ("examples", "docs", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, words in {"cl2cuda": "-m cl2cuda", "python": "", "python3": "", "pytest": "-m pytest"}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (programs / name).chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_run(page, device, folder):
    environment = {**os.environ, "CL2CUDA_DEVICE": device, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80",
                   "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]), "PYTHONWARNINGS": "ignore"}
    here = [block for block in blocks(page) if not block.not_run and all(is_there(need, device) for need in block.needs)]
    name = str(page.relative_to(ROOT))

    def run(*command: str, place: str) -> str:
        done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        assert done.returncode == 0, f"{place}: {done.stdout}"
        return done.stdout

    for block in here:
        if block.file:
            (folder / block.file).write_text(block.text)
        elif block.language == "c":
            (folder / "unnamed.cl").write_text(block.text)
            run("cl2cuda", "check", "-cl-std=CL3.0", "unnamed.cl", place=f"{name}:{block.line}")
    programs = [block for block in here if block.language == "python" and not block.file]
    (folder / "blocks.json").write_text(json.dumps([(f"{name}:{block.line}", block.text) for block in programs]))
    if programs:
        said = run(sys.executable, "-c", DRIVER, place=name).split("\0")
        for block, printed in zip(programs, said, strict=False):
            agree(printed, block.prints, f"{name}:{block.line}")
    for block in here:
        if block.language == "sh":
            agree(run("sh", "-ec", block.text, place=f"{name}:{block.line}"), block.prints, f"{name}:{block.line}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_are_of_a_kind_that_is_run(page):
    found = list(blocks(page))
    assert {block.language for block in found if not block.file} <= {"c", "python", "sh", *OUTPUT}
    # An output belongs to a block that prints it.
    for before, block in zip([None, *found], found, strict=False):
        assert block.language not in OUTPUT or block.not_run or (before and before.prints is not None), f"{page.name}:{block.line}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"(?<!\\)\[[^]\n]*\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8")):
        path = (page.parent / target) if target else page
        assert path.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}, f"{target}#{anchor}"


@pytest.mark.parametrize("compiled", [False, True], ids=["", "with the calls in C"])
def test_generated_pages_are_what_the_code_says(compiled, tmp_path, monkeypatch):
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(tmp_path))
    if compiled:
        with contextlib.suppress(DriverMissing):
            build_for_source_tree()
    checked = subprocess.run([sys.executable, str(ROOT / "docs" / "generate"), "--check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_features_page_says_what_devices_offer(real_device):
    page = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
    ours = dict(re.findall(r"^\| `((?:cl_|__opencl_c_)\w+)` \| ([^|]*?) \|", page, re.MULTILINE))
    offered = {name for name, _ in real_device.extensions} | {each.name for each in OFFERED_FEATURES}
    other = "host device" if real_device.is_cuda else "GPU"
    assert offered <= {name for name, cell in ours.items() if cell != "no"}
    # What the page says of all CUDA devices needs a driver that exports memory, and OpenGL its libraries; every other cell is this device's too.
    missing = {name for name, cell in ours.items() if cell != "no" and f"({other})" not in cell} - offered
    assert all("external" in name or (not opengl.available() and re.search("_gl_|_egl_", name)) for name in missing)
