"""Translates and compiles every OpenCL program that pyopencl, silx, pyFAI and gputools ship, and prints a table.

    python tests/tools/corpus [--packages FOLDER] [name …]

It needs no GPU and installs nothing: packages that are missing are skipped. `pip install --no-deps --target FOLDER silx pyfai gputools`
gives a FOLDER. Exits with 1 if a valid program fails that names neither an image nor a sampler, or an invalid one passes.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tools.corpus.build import ARCHITECTURES, Missing, Result, build
from tools.corpus.programs import FOLDERS, PROGRAMS, Program


def files(programs: list[Program]) -> set[str]:
    return {name for program in programs for name in program.files}


def state(result: Result) -> str:
    if not result.error:
        return "ok" if not result.program.invalid else "TAKEN"
    return "invalid" if result.program.invalid else "images" if result.images else "FAILED"


def shown(result: Result) -> str:
    program = result.program
    values = " ".join(f"{name}={value}" for name, value in program.template.items())
    times = f"{result.translation * 1000:6.0f} {result.compilation * 1000:6.0f}"
    name = f"{program.package}: {program.name}"
    line = f"{state(result):7}{times}  {name}  {program.options} {values}".rstrip()
    return line + (f"\n                       {result.error}" if result.error else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", metavar="FOLDER", help="where packages lie that are not installed")
    parser.add_argument("--arch", action="append", help=f"instead of {', '.join(ARCHITECTURES)}")
    parser.add_argument("name", nargs="*", help="only programs whose package and files hold one of these")
    arguments = parser.parse_args()
    if arguments.packages:
        sys.path.append(arguments.packages)
    chosen = [p for p in PROGRAMS if not arguments.name or any(n in f"{p.package}: {p.name}" for n in arguments.name)]
    results, missing = [], set()
    print("state   translation and NVRTC per architecture in ms, program, options, template values", flush=True)
    for program in chosen:
        try:
            results.append(build(program, tuple(arguments.arch or ARCHITECTURES)))
        except Missing as package:
            missing.add(str(package))
            continue
        print(shown(results[-1]), flush=True)
    counts = Counter(map(state, results))
    good = [r.program for r in results if not r.error]
    print(f"\n{len(good)} of {len(results)} programs compile, of {len(files([r.program for r in results]))} files; {counts['images']} wait "
          f"for images, {counts['invalid']} are invalid, {counts['FAILED']} fail, {counts['TAKEN']} are invalid and compile")
    for package in FOLDERS:
        mine = [r.program for r in results if r.program.package == package]
        print(f"  {package:9} {len(mine):3} programs, {sum(p in good for p in mine):3} compile")
    if missing:
        print(f"skipped for want of: {', '.join(sorted(missing))}")
    return bool(counts['FAILED'] + counts['TAKEN'])


if __name__ == "__main__":
    sys.exit(main())
