"""CuPy's bindings are made ready without CuPy: `cupy` here is a module of the test's own, beside bindings that log as CuPy's do."""

import os
import subprocess
import sys

import pytest

CUPY = """
import sys
class _environment:
    @staticmethod
    def _log(message): print("CuPy logs", message)
number = 7
"""

BINDINGS = """
class CUDADriverError(RuntimeError): pass

def ctxGetCurrent():
    from cupy import _environment
    _environment._log("found")
    {then}
"""

PROGRAM = """
import sys
import bindings
{before}
from cl2cuda.runtime.cuda.bindings import find_functions
find_functions(bindings)
print("cupy" in sys.modules)
import cupy
print(cupy.number, type(cupy).__name__)
"""


@pytest.mark.parametrize("then, before, environment, printed", [
    ("return 1", "", {}, ["False", "7 module"]),
    ("raise CUDADriverError('not initialized')", "", {}, ["False", "7 module"]),
    ("return 1", "import cupy", {}, ["True", "7 module"]),  # nothing is done: CuPy's log says nothing either, as nothing is looked up
    ("return 1", "", {"CUPY_DEBUG_LIBRARY_LOAD": "1"}, ["False", "7 module"]),
    ("import cupy; assert cupy.number == 7", "", {}, ["True", "7 module"]),  # what is not the log is CuPy's
], ids=["found", "refused", "imported", "logged", "more"])
def test_cupy_is_not_imported(tmp_path, then, before, environment, printed):
    (tmp_path / "cupy.py").write_text(CUPY)
    (tmp_path / "bindings.py").write_text(BINDINGS.format(then=then))
    path = os.pathsep.join((str(tmp_path), *filter(None, sys.path)))
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(before=before)], env={**os.environ, "PYTHONPATH": path, **environment},
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == printed
