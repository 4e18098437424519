"""Processes that a program on cl2cuda starts: they run on it too, where cl2cuda.pth lies among the packages of their Python."""

import importlib.util
import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from support.processes import ROOT

from cl2cuda.runtime.native.build import compilers

# Whether this process is on cl2cuda, without an import of pyopencl.
ASK = "import sys; print(any(finder.__module__ == 'cl2cuda.install' for finder in sys.meta_path if hasattr(finder, '__module__')))"

SPAWNS = """
import multiprocessing, sys

def origin(_):
    import pyopencl
    return pyopencl._cl.__spec__.origin

if __name__ == "__main__":
    import cl2cuda
    cl2cuda.install()
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print(set(pool.map(origin, range(4))))
"""

LOKY = """
import joblib, sys

def origin(_):
    import pyopencl
    return pyopencl._cl.__spec__.origin

print(set(joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(origin)(i) for i in range(4))))
"""

TESTS = """
import pytest

@pytest.mark.parametrize("number", range(4))
def test(number, record_property):
    import pyopencl
    assert pyopencl._cl.__spec__.origin == "cl2cuda"
"""


class Environment:
    """A Python whose packages are those of the tests, with cl2cuda.pth among them or without."""

    def __init__(self, folder: Path, pth: str | None):
        venv.create(folder, with_pip=False, symlinks=True)
        self.python = folder / "bin" / "python"
        (self.packages,) = folder.glob("lib/python*/site-packages")
        # Packages may lie in folders that PYTHONPATH names.
        outside = {str(Path(importlib.util.find_spec(name).origin).parents[1]): None for name in ("numpy", "pyopencl", "pytest")}
        also = [path for path in sys.path if path.endswith(("site-packages", "dist-packages")) and path not in outside]
        (self.packages / "a.pth").write_text("\n".join([str(ROOT), *outside, *also]) + "\n")
        if pth is not None:
            (self.packages / "cl2cuda.pth").write_text(pth)

    def run(self, *arguments, cwd=None, **variables):
        environment = {name: value for name, value in os.environ.items() if name not in ("CL2CUDA_INSTALL", "PYTHONPATH")}
        return subprocess.run([str(self.python), *map(str, arguments)], capture_output=True, text=True, cwd=cwd,
                              env={**environment, "CL2CUDA_DEVICE": "host", **variables})


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return Environment(tmp_path_factory.mktemp("installed"), (ROOT / "cl2cuda.pth").read_text())


@pytest.fixture
def script(tmp_path):
    def write(text, name="program.py"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def child(*options, **variables):
    """A program that starts a Python and shows whether that one is on cl2cuda."""
    return (f"import os, subprocess, sys\nsubprocess.run([sys.executable, *{options!r}, '-c', {ASK!r}], check=True, "
            f"env={{**os.environ, **{variables!r}}})\n")


@pytest.mark.parametrize("options", [("-I",), ("-E", "-s")], ids=str)
def test_pythons_that_heed_no_other_variables_run_on_cl2cuda(installed, script, options):
    found = installed.run("-m", "cl2cuda", "run", script(child(*options)))
    assert (found.stdout, found.stderr) == ("True\n", "")


def test_a_python_that_the_program_starts_runs_on_cl2cuda(installed, script):
    program = script(child())
    for way in (["-m", "cl2cuda", "run", program], ["-c", f"import cl2cuda; cl2cuda.install(); exec(open({str(program)!r}).read())"],
                ["-c", f"from cl2cuda import pyopencl; exec(open({str(program)!r}).read())"]):
        found = installed.run(*way)
        assert (found.stdout, found.stderr) == ("True\n", ""), way


def test_a_variable_puts_every_python_of_the_environment_on_cl2cuda(installed):
    assert installed.run("-c", ASK, CL2CUDA_INSTALL="1").stdout == "True\n"
    for off in ({}, {"CL2CUDA_INSTALL": ""}, {"CL2CUDA_INSTALL": "0"}):
        assert installed.run("-c", ASK, **off).stdout == "False\n"


def test_a_program_can_keep_its_processes_off(installed, script):
    assert installed.run("-m", "cl2cuda", "run", script(child(CL2CUDA_INSTALL="0"))).stdout == "False\n"
    assert installed.run("-m", "cl2cuda", "run", script(child()), CL2CUDA_INSTALL="0").stdout == "False\n"


def test_without_the_variable_nothing_is_imported(installed):
    ask = "import sys; print(sorted(name for name in sys.modules if name.split('.')[0] in ('cl2cuda', 'pyopencl', 'numpy')))"
    assert installed.run("-c", ask).stdout == "[]\n"
    # With it, nothing of weight.
    assert installed.run("-c", ask, CL2CUDA_INSTALL="1").stdout == "['cl2cuda', 'cl2cuda.install', 'cl2cuda.version']\n"


def test_pythons_without_site_and_of_other_environments_are_left_alone(installed, script, tmp_path):
    assert installed.run("-m", "cl2cuda", "run", script(child("-S"))).stdout == "False\n"
    other = Environment(tmp_path / "other", None)
    (other.packages / "a.pth").unlink()
    started = installed.run("-m", "cl2cuda", "run", script(
        f"import subprocess; subprocess.run([{str(other.python)!r}, '-c', 'import sys; print(\"cl2cuda\" in sys.modules)'], check=True)"))
    assert (started.stdout, started.stderr) == ("False\n", "")


def test_a_file_that_was_left_behind_is_silent(tmp_path):
    without = Environment(tmp_path / "without", (ROOT / "cl2cuda.pth").read_text())
    (without.packages / "a.pth").unlink()
    found = without.run("-c", "print('fine')", CL2CUDA_INSTALL="1")
    assert (found.stdout, found.stderr) == ("fine\n", "")


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_multiprocessing(installed, script, method):
    found = installed.run(script(SPAWNS), method)
    assert found.stdout == "{'cl2cuda'}\n", found.stderr


def test_joblib(installed, script):
    pytest.importorskip("joblib")
    found = installed.run("-m", "cl2cuda", "run", script(LOKY))
    assert found.stdout == "{'cl2cuda'}\n", found.stderr


@pytest.mark.parametrize("way", [["cl2cuda", "run", "-m", "pytest"], ["pytest", "-p", "cl2cuda.pytest_plugin"]], ids=" ".join)
def test_pytest_in_several_processes(installed, script, tmp_path, way):
    pytest.importorskip("xdist")
    script(TESTS, "test_origin.py")
    found = installed.run("-m", *way, "-q", "-n", "2", "-p", "no:cacheprovider", "test_origin.py", cwd=tmp_path)
    assert found.returncode == 0 and "4 passed" in found.stdout, found.stdout + found.stderr


def test_debug_mode_and_timeline_reach_the_processes(installed, script, tmp_path):
    launch = script("import pyopencl as cl\n"
                    "from cl2cuda.runtime.process import debug_mode\n"
                    "queue = cl.CommandQueue(cl.create_some_context(interactive=False))\n"
                    "cl.enqueue_marker(queue).wait()\n"
                    "print(debug_mode.active())\n", "launch.py")
    program = script(f"import subprocess, sys\nimport launch\nsubprocess.run([sys.executable, {str(launch)!r}], check=True)\n")
    found = installed.run("-m", "cl2cuda", "run", "--debug", "--trace", tmp_path / "trace.json", program, cwd=tmp_path)
    assert found.stdout == "True\nTrue\n", found.stderr
    traces = sorted(tmp_path.glob("trace*.json"))
    assert len(traces) == 2 and traces[1].name == "trace.json"
    for trace in traces:
        assert any(record.get("cat") == "marker" for record in json.loads(trace.read_text())["traceEvents"])


@pytest.mark.parametrize("hook", ["build_wheel", "build_editable"])
def test_the_file_is_in_the_wheel(tmp_path, hook):
    pytest.importorskip("setuptools", "70.1")  # Older ones need the package wheel, too.
    copy = tmp_path / "source"
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode:
        pytest.skip("the files of a checkout cannot be told from others")
    for name in tracked.stdout.splitlines():
        if not name.startswith(("tests/", "docs/")) and (ROOT / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes()) if not (ROOT / name).is_symlink() else (
                copy / name).symlink_to((ROOT / name).readlink())
    build = f"import setuptools.build_meta as backend; backend.{hook}({str(tmp_path)!r})"
    cache = tmp_path / "cache"
    done = subprocess.run([sys.executable, "-c", build], cwd=copy, capture_output=True, text=True,
                          env={**os.environ, "CL2CUDA_CACHE_DIR": str(cache)})
    assert done.returncode == 0, done.stderr
    assert len(list(cache.rglob("_calls.abi3.so"))) == (hook == "build_editable" and bool(compilers()))
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as made:
        assert made.read("cl2cuda.pth") == (ROOT / "cl2cuda.pth").read_bytes()
        (record,) = [name for name in made.namelist() if name.endswith("/RECORD")]
        assert "cl2cuda.pth,sha256=" in made.read(record).decode()
        assert hook != "build_wheel" or not compilers() or "cl2cuda/runtime/native/_calls.abi3.so" in made.namelist()
        assert made.testzip() is None
