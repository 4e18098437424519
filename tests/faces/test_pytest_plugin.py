"""`pytest -p cl2cuda.pytest_plugin`, also where pytest itself has a package imported that imports pyopencl."""

import subprocess
import sys

import pytest
from support.processes import environment

# A package over pyopencl, with all the ways of holding something of it that an import a second time could miss.
PACKAGE = {
    "__init__.py": "from .compat import CompatWarning\nfrom .kinds import kind\n",
    "compat.py": "class CompatWarning(UserWarning):\n    pass\n",
    "kinds.py": """
import functools
import pyopencl as cl
from pyopencl import Buffer, mem_flags
from pyopencl.array import Array
from over_cl.compat import CompatWarning

FLAGS = mem_flags.READ_WRITE

class Named(cl.Buffer):
    pass

@functools.singledispatch
def kind(value):
    return "other"

@kind.register(Buffer)
def _(value):
    return "buffer"
""",
    "registered.py": """
from over_cl import kinds
from over_cl.compat import CompatWarning
from pyopencl import CommandQueue

kinds.kind.register(CommandQueue)(lambda value: "queue")
""",
}

TESTS = """
import sys
import warnings

import over_cl
import over_cl.registered
import pyopencl as cl
import pyopencl.array
import pytest
from over_cl import kinds


def test_it_runs_on_cl2cuda():
    assert cl._cl.__spec__.origin == "cl2cuda" and "cl2cuda" in cl.get_platforms()[0].name
    assert sys.modules["pyopencl"] is cl and kinds.cl is cl


def test_nothing_of_the_other_is_left():
    assert kinds.Buffer is cl.Buffer and issubclass(kinds.Named, cl.Buffer)
    assert kinds.Array is cl.array.Array and hasattr(cl.array.Array, "__dlpack__")
    queue = cl.CommandQueue(cl.create_some_context(interactive=False))
    buffer = cl.Buffer(queue.context, kinds.FLAGS, 16)
    assert (over_cl.kind(buffer), over_cl.kind(queue), over_cl.kind(1)) == ("buffer", "queue", "other")
    assert (cl.array.arange(queue, 4, dtype="i4") + 1).get().tolist() == [1, 2, 3, 4]


def test_the_filters_hold():
    warnings.warn("ignored", over_cl.CompatWarning, stacklevel=1)
    with pytest.raises(UserWarning):
        warnings.warn("an error", UserWarning, stacklevel=1)
"""

INI = """
[pytest]
filterwarnings =
    error
    ignore::over_cl.{category}
    ignore::pyopencl.CompilerWarning
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "over_cl").mkdir()
    for name, text in PACKAGE.items():
        (tmp_path / "over_cl" / name).write_text(text)
    (tmp_path / "test_over_cl.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text(INI.format(category="CompatWarning"))

    def run(*arguments):
        """Without the plugins that are installed here: their warnings would be errors."""
        paths = environment()["PYTHONPATH"]
        return subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, env=environment(
            CL2CUDA_DEVICE="host", CL2CUDA_INSTALL="0", PYTHONPATH=f"{tmp_path}:{paths}", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"))

    if run("-c", "import pyopencl").returncode:
        pytest.skip("PyOpenCL's own compiled module cannot be loaded here")
    return run


@pytest.mark.parametrize("category", ["CompatWarning", "registered.CompatWarning"])
@pytest.mark.parametrize("processes", [0, 2])
def test_a_filter_that_names_a_package_over_pyopencl(project, tmp_path, category, processes):
    (tmp_path / "pytest.ini").write_text(INI.format(category=category))
    if processes:
        pytest.importorskip("xdist")
    several = ["-p", "xdist", "-n", str(processes)] if processes else []
    found = project("-m", "pytest", "-q", "-p", "cl2cuda.pytest_plugin", "-p", "no:cacheprovider", *several)
    assert found.returncode == 0 and "3 passed" in found.stdout, found.stdout + found.stderr


def test_a_module_that_is_not_through_cannot_be_imported_again(project, tmp_path):
    (tmp_path / "conftest.py").write_text("import pyopencl\npytest_plugins = ['cl2cuda.pytest_plugin']\nimport cl2cuda.pytest_plugin\n")
    found = project("-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert found.returncode != 0 and "already imported with its own compiled module (by conftest" in found.stdout + found.stderr


def test_a_program_that_has_imported_pyopencl_is_told(project):
    found = project("-c", "import pyopencl, pytest; pytest.main(['-q', '-p', 'cl2cuda.pytest_plugin'])")
    assert "already imported with its own compiled module (by __main__" in found.stdout + found.stderr
