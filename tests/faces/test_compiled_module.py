"""PyOpenCL's compiled module, name by name, in the releases from 2023.1 on: what is there, with which values and parameters."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

KNOWN = [
    "NameVersion.__init__(version=0, name=0) has another default, name='' (2023.1 2025.1)",  # It was a mistake.
]


def test_nothing_is_missing_or_different():
    # In a process of its own: PyOpenCL's Python layer, once imported, has changed the classes.
    result = subprocess.run([sys.executable, str(ROOT / "tests" / "tools" / "compiled_module"), "check"], capture_output=True, text=True,
                            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])})
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == KNOWN
    assert "pyopencl" not in result.stderr


def test_the_table_is_whole():
    """The numbers that one release has: 52 classes of constants, 4 exceptions, 34 other classes, 37 functions."""
    lines = [line for line in (ROOT / "tests" / "tools" / "compiled_module" / "names.txt").read_text().splitlines()
             if not line.startswith(("#", "    ")) and "2024.1" not in line]
    functions = [line for line in lines if "(" in line]
    errors = [line for line in lines if line.partition(" <")[0] in ("Error", "MemoryError", "LogicError", "RuntimeError")]
    constants = [line for line in lines if line not in functions and line[0].islower()]
    assert (len(constants), len(errors), len(functions)) == (52, 4, 37)
    assert len(lines) == 52 + 4 + 34 + 37
