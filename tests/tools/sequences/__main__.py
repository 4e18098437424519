"""Random sequences of calls against a model of what the specification says of them.

    python tests/tools/sequences                                   # 100 sequences on the device that cl2cuda chooses, or on CL2CUDA_DEVICE's
    python tests/tools/sequences --seed 7 --each 1 --here --said   # one of them, with all that it did
    python tests/tools/sequences --imagined                        # a CUDA without a GPU whose streams run late; it needs NVRTC
    python tests/tools/sequences --library libOpenCL.so.1          # another OpenCL

Sequences run in processes of their own, so that what ends one is found, too. The exit status is 1 where any failed.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[number]) for number in (3, 2)]

import sequence  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/tools/sequences", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="how many sequences")
    parser.add_argument("--seed", type=int, default=1, help="of the first one; each next one has the next")
    parser.add_argument("--steps", type=int, default=400, help="of each sequence")
    parser.add_argument("--threads", type=int, default=1, help="that each do a sequence, in the same process")
    parser.add_argument("--devices", type=int, default=1, help="how many devices the first context has")
    parser.add_argument("--library", help="the OpenCL that is called instead of cl2cuda's driver library")
    parser.add_argument("--imagined", action="store_true", help="an imagined CUDA")
    parser.add_argument("--face", action="store_true", help="PyOpenCL's functions, as cl2cuda has them, instead of the driver library's")
    parser.add_argument("--avoid", default="", help="names of what is not to be done, divided by commas: module.function")
    parser.add_argument("--here", action="store_true", help="as many sequences as --each, in this process")
    parser.add_argument("--said", action="store_true", help="say all that is done, before it is done")
    parser.add_argument("--each", type=int, default=10, help="how many sequences a process does, one after the other")
    parser.add_argument("--limit", type=int, default=300, help="seconds for a process")
    arguments = parser.parse_args()
    if arguments.here:
        faulthandler.dump_traceback_later(arguments.limit, exit=True)
        return sequence.run(arguments)
    failed, start = [], time.monotonic()
    words = [word for word in sys.argv[1:] if word]
    for seed in range(arguments.seed, arguments.seed + arguments.count, arguments.each):
        command = [sys.executable, str(Path(__file__).parent), *words, "--seed", str(seed), "--here"]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ}, check=False)
        if done.returncode:
            failed.append(seed)
            print(f"from seed {seed} on: ends with {done.returncode}\n" + "\n".join(done.stdout.splitlines()[-6:]) + f"\n{done.stderr[-1500:]}", flush=True)
    print(f"{arguments.count} sequences in {time.monotonic() - start:.0f} s, {len(failed)} failed: {failed}")
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())
