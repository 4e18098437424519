"""Runs PyOpenCL's own tests and examples, unmodified, on cl2cuda.

    python tests/tools/pyopencl_suite [--release V] [--source FOLDER] [--stock | --timed] [--examples [PATTERN]] [test_array.py …, pytest's own arguments]

The source distribution of the release (default: the installed one) is fetched by pip, unless --source names it unpacked. Another
release than the installed one runs from its Python files alone. --stock runs the same on the installed PyOpenCL's own driver, to
compare; --timed runs both, each with caches that are empty and again with what they have then, and tells how long that took;
--examples runs the examples instead of the tests. Exit status 3: pip could not fetch what was needed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from releases import NotFetched, fetch, python_path

ROOT = Path(__file__).resolve().parents[3]
NOT_FETCHED = 3
# They draw with OpenGL.
NOT_RUN = {"gl_interop_demo.py", "gl_particle_animation.py"}


def run_tests(source: Path, stock: bool, more: list[str], folder: Path, environment: dict[str, str]) -> int:
    return subprocess.run(tests_command(source, stock, more, folder), cwd=folder, env=environment).returncode


def time_tests(source: Path, more: list[str], folder: Path, environment: dict[str, str]) -> int:
    """Prints a line for each run. What fails only shows in the counts."""
    for side, stock in (("cl2cuda", False), ("stock", True)):
        with tempfile.TemporaryDirectory() as caches:
            folders = dict.fromkeys(("CL2CUDA_CACHE_DIR", "CUDA_CACHE_PATH", "POCL_CACHE_DIR", "XDG_CACHE_HOME"), caches)
            for state in ("caches empty", "cached"):
                start = time.perf_counter()
                done = subprocess.run(tests_command(source, stock, more, folder), cwd=folder, env={**environment, **folders},
                                      capture_output=True, text=True)
                last = (done.stdout.strip().splitlines() or done.stderr.strip().splitlines() or ["?"])[-1]
                print(f"{side:8} {state:13} {time.perf_counter() - start:7.1f} s  {last}", flush=True)
    return 0


def tests_command(source: Path, stock: bool, more: list[str], folder: Path) -> list[str]:
    plugin = [] if stock else ["-p", "cl2cuda.pytest_plugin"]
    tests = source / "test"
    chosen = [str(tests / word) if (tests / word.split("::")[0]).is_file() else word for word in more]
    targets = [] if any(word.startswith(str(tests)) for word in chosen) else [str(tests)]
    # Away from the source, whose own `pyopencl` folder has no compiled module.
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, "--rootdir", str(folder), *chosen, *targets]


def run_examples(source: Path, stock: bool, pattern: str, folder: Path, environment: dict[str, str]) -> int:
    failed = 0
    examples = Path(shutil.copytree(source / "examples", folder / "examples"))  # Some read or write files beside them.
    for program in sorted(examples.glob(pattern)):
        if program.name in NOT_RUN:
            print(f"{program.name:40} not run: it draws with OpenGL")
            continue
        command = [sys.executable, str(program)] if stock else [sys.executable, "-m", "cl2cuda", "run", str(program)]
        start = time.perf_counter()
        # The examples ask which device to use; an empty answer is the first one.
        done = subprocess.run(command, cwd=examples, env=environment, capture_output=True, text=True, input="\n" * 9)
        last = (done.stderr.strip().splitlines() or ["?"])[-1]
        missing = last.startswith("ModuleNotFoundError")
        state = "ok" if done.returncode == 0 else f"not run: {last}" if missing else f"FAILED: {last}"
        failed += done.returncode != 0 and not missing
        print(f"{program.name:40} {time.perf_counter() - start:6.1f} s  {state}", flush=True)
    return bool(failed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, help="PyOpenCL's unpacked source distribution")
    parser.add_argument("--release", default=version("pyopencl"), help="the release to fetch; default: the installed one")
    sides = parser.add_mutually_exclusive_group()
    sides.add_argument("--stock", action="store_true", help="without cl2cuda")
    sides.add_argument("--timed", action="store_true", help="with and without, and how long it took")
    parser.add_argument("--examples", nargs="?", const="*.py", metavar="PATTERN", help="run the examples; which ones, default: *.py")
    options, more = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            source = options.source.resolve() if options.source else fetch(options.release, folder)
            first = python_path(source, folder)
        except NotFetched as failure:
            print(failure, file=sys.stderr)
            return NOT_FETCHED
        if first and (options.stock or options.timed):
            parser.error("another release than the installed one has no compiled module: it cannot run without cl2cuda")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*first, str(ROOT), os.environ.get("PYTHONPATH", "")])}
        if options.stock or options.timed:
            environment["CL2CUDA_INSTALL"] = "0"  # The other side installs by itself.
        if options.examples:
            return run_examples(source, options.stock, options.examples, folder, environment)
        if options.timed:
            return time_tests(source, more, folder, environment)
        return run_tests(source, options.stock, more, folder, environment)


if __name__ == "__main__":
    raise SystemExit(main())
