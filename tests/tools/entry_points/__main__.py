"""python tests/tools/entry_points: runs the suite and prints, for each entry point, how many tests call it and which errors they met.

    python tests/tools/entry_points [--record FILE …] [--missing] [pytest's own arguments]

--record prints from records made before (by the plugin `recorder`) and runs nothing; --missing lists the uncovered only. The
columns "host" and "cuda" count tests that ran on that device; "all" counts those without a device, too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2]))

from cl2cuda.runtime.spec.entry_points import SERVED  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", nargs="+", type=Path, default=[], help="records to print from")
    parser.add_argument("--missing", action="store_true", help="only what no test covers")
    options, rest = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        records = options.record or _run_suite(Path(folder), rest)
        _print(_merged(records), options.missing)
    return 0


def _run_suite(folder: Path, rest: list[str]) -> list[Path]:
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "tools.entry_points.recorder", "--entry-points", str(folder / "record"),
                    *(rest or [str(HERE.parents[1])])], env=_with_tests_on_path())
    return sorted(folder.iterdir())


def _with_tests_on_path() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE.parents[1]), str(HERE.parents[2]), os.environ.get("PYTHONPATH", "")])}


def _merged(records: list[Path]) -> dict[str, set[str]]:
    met: dict[str, set[str]] = defaultdict(set)
    for each in records:
        for key, tests in json.loads(each.read_text()).items():
            met[key] |= set(tests)
    return met


def _print(met: dict[str, set[str]], missing_only: bool) -> None:
    print(f"{'entry point':40} {'section':>7} {'all':>5} {'host':>5} {'cuda':>5}  errors met, and in brackets those not met")
    listed = covered = called = 0
    for row in SERVED.values():
        tests = met.get(row.name, set())
        unmet = [e for e in row.errors if f"{row.name} {e}" not in met]
        listed, covered, called = listed + len(row.errors), covered + len(row.errors) - len(unmet), called + bool(tests)
        if missing_only and tests and not unmet:
            continue
        counts = [len(tests), *(sum(f"[{device}" in t or f"-{device}" in t for t in tests) for device in ("host", "cuda"))]
        errors = [e for e in row.errors if e not in unmet] + [f"[{e}]" for e in unmet]
        print(f"{row.name:40} {row.section:>7} {counts[0]:5} {counts[1]:5} {counts[2]:5}  {' '.join(errors)}")
    print(f"\n{len(SERVED)} entry points, {called} called by tests; {listed} errors, {covered} met")


if __name__ == "__main__":
    raise SystemExit(main())
