"""Throughput of twelve hot functions: cl2cuda beside NVIDIA's own OpenCL, and beside plain CUDA, which also has what that lacks.

Each side runs in a process of its own (`throughput.py`), in turn, several times; the table shows the best of each, in thousands of
millions of calls a second, and the ratios of cl2cuda to the others: above 1 cl2cuda is quicker.

usage: python tests/tools/benchmark/functions.py [--rounds N] [--quick]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
THROUGHPUT = str(Path(__file__).with_name("throughput.py"))
SIDES = {
    "cl2cuda": [sys.executable, "-m", "cl2cuda", "run", THROUGHPUT, "--platform", "cl2cuda"],
    "NVIDIA OpenCL": [sys.executable, THROUGHPUT, "--platform", "NVIDIA CUDA"],
    "plain CUDA": [sys.executable, THROUGHPUT, "--cuda"],
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python tests/tools/benchmark/functions.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="little work: to see that it works, not to measure")
    arguments = parser.parse_args()
    best: dict[str, dict[str, float]] = {side: {} for side in SIDES}
    for _ in range(arguments.rounds):
        for side, command in SIDES.items():
            for name, rate in measured(side, [*command, *(["--quick"] if arguments.quick else [])]).items():
                best[side][name] = max(rate, best[side].get(name, 0))
    print(table(best))


def measured(side: str, command: list[str]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as caches:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
                       "CL2CUDA_CACHE_DIR": caches, "CUDA_CACHE_PATH": caches}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        reason = (done.stderr.strip() or f"status {done.returncode}").splitlines()[-1]
        print(f"{side} is left out: {reason}", file=sys.stderr)
        return {}
    print(done.stderr, end="", file=sys.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def table(best: dict[str, dict[str, float]]) -> str:
    others = list(SIDES)[1:]
    lines = [f"{'Gcalls/s':34}" + "".join(f"{side:>16}" for side in SIDES) + "".join(f"{'/ ' + side:>18}" for side in others)]
    for name in dict.fromkeys(name for rates in best.values() for name in rates):
        rates = [best[side].get(name) for side in SIDES]
        cells = [f"{rate:16.2f}" if rate else f"{'-':>16}" for rate in rates]
        ratios = [f"{rates[0] / other:18.2f}" if rates[0] and other else f"{'-':>18}" for other in rates[1:]]
        lines.append(f"{name:34}{''.join(cells)}{''.join(ratios)}".rstrip())
    return "\n".join(lines)


if __name__ == "__main__":
    main()
