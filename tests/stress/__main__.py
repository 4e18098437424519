"""Stress: random commands of many threads against a model, and memory that must not grow.

    python tests/stress --commands 100000 --threads 8      # on the device that cl2cuda chooses, or on CL2CUDA_DEVICE's

Three parts: random commands (commands.py), launches without end and objects that come and go (growth.py). Exit status 1 at the
first difference, or when memory grew. A deadlock ends after --limit seconds with every thread's stack.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import cl2cuda

cl2cuda.install()

import commands  # noqa: E402
import growth  # noqa: E402
import pyopencl as cl  # noqa: E402

# Allocators keep a little; a leak of 100 bytes a repetition passes this.
ALLOWED_GROWTH = 8 << 20


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/stress", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commands", type=int, default=100_000, help="random commands in all")
    parser.add_argument("--threads", type=int, default=8, help="host threads that enqueue them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--enqueues", type=int, default=1_000_000, help="launches for the growth of memory")
    parser.add_argument("--cycles", type=int, default=100_000, help="objects made and dropped for the growth of memory")
    parser.add_argument("--limit", type=int, default=1800, help="seconds after which a run counts as a deadlock")
    arguments = parser.parse_args()

    faulthandler.dump_traceback_later(arguments.limit, exit=True)
    device = cl.get_platforms()[0].get_devices()[0]
    print(device.name)
    if arguments.commands:
        start = time.perf_counter()
        report = commands.run(device, arguments.commands, arguments.threads, arguments.seed)
        kinds = ", ".join(f"{count} {name}" for name, count in report.commands.most_common())
        print(f"{report.commands.total()} commands of {arguments.threads} threads in {time.perf_counter() - start:.1f} s: {kinds}")
        print(f"{report.failed_as_meant} failed as they should, {report.callbacks} of {report.callbacks_wanted} callbacks came")
        if report.callbacks != report.callbacks_wanted:
            return 1
    grown = False
    for name, measure, count in (("launches", growth.enqueues, arguments.enqueues), ("cycles", growth.cycles, arguments.cycles)):
        if count:
            start = time.perf_counter()
            found = measure(device, count)
            print(f"{count} {name} in {time.perf_counter() - start:.1f} s: the process grew by {found.in_process >> 10} KiB, "
                  f"the device by {found.on_device >> 10} KiB")
            grown |= max(found.in_process, found.on_device) > ALLOWED_GROWTH
    return int(grown)


if __name__ == "__main__":
    raise SystemExit(main())
