"""Runs PyOpenCL's own tests and examples, unmodified, on cl2cuda.

    python tests/pyopencl_suite [--source FOLDER] [--version V] [--stock] [--examples] [test_array.py …, pytest's own arguments]

--source is PyOpenCL's unpacked source distribution; without it `pip download` fetches that of the installed release. --stock runs
the same on the installed PyOpenCL's own driver, to compare; --examples runs the examples, too.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# They draw with OpenGL, or are a notebook.
NOT_RUN = {"gl_interop_demo.py", "gl_particle_animation.py"}


def fetch(release: str, folder: Path) -> Path:
    """PyOpenCL's source distribution of that release, unpacked."""
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "pyopencl", "-d", str(folder),
                    f"pyopencl=={release}"], check=True)
    archive = next(folder.glob("pyopencl-*.tar.gz"))
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
    return next(path for path in folder.iterdir() if path.is_dir())


def run_tests(source: Path, stock: bool, more: list[str], folder: Path) -> int:
    plugin = [] if stock else ["-p", "cl2cuda.pytest_plugin"]
    tests = source / "test"
    chosen = [str(tests / word) if (tests / word.split("::")[0]).is_file() else word for word in more]
    targets = [] if any(word.startswith(str(tests)) for word in chosen) else [str(tests)]
    # Away from the source, whose own `pyopencl` folder has no compiled module.
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, "--rootdir", str(folder), *chosen, *targets]
    return subprocess.run(command, cwd=folder, env=environment()).returncode


def run_examples(source: Path, stock: bool, folder: Path) -> int:
    failed = 0
    examples = Path(shutil.copytree(source / "examples", folder / "examples"))  # Some read or write files beside them.
    for program in sorted(examples.glob("*.py")):
        if program.name in NOT_RUN:
            print(f"{program.name:40} not run")
            continue
        command = [sys.executable, str(program)] if stock else [sys.executable, "-m", "cl2cuda", "run", str(program)]
        start = time.perf_counter()
        done = subprocess.run(command, cwd=examples, env=environment(), capture_output=True, text=True, input="")
        last = (done.stderr.strip().splitlines() or ["?"])[-1]
        missing = last.startswith("ModuleNotFoundError")
        state = "ok" if done.returncode == 0 else f"not run: {last}" if missing else f"FAILED: {last}"
        failed += done.returncode != 0 and not missing
        print(f"{program.name:40} {time.perf_counter() - start:6.1f} s  {state}", flush=True)
    return failed


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
            "PYOPENCL_CTX": os.environ.get("PYOPENCL_CTX", "0:0")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, help="PyOpenCL's unpacked source distribution")
    parser.add_argument("--version", default=version("pyopencl"), help="the release to fetch; default: the installed one")
    parser.add_argument("--stock", action="store_true", help="without cl2cuda")
    parser.add_argument("--examples", action="store_true", help="run the examples, too")
    options, more = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = options.source.resolve() if options.source else fetch(options.version, folder)
        status = run_tests(source, options.stock, more, folder)
        if options.examples:
            status |= bool(run_examples(source, options.stock, folder))
    return status


if __name__ == "__main__":
    raise SystemExit(main())
