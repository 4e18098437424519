"""Stress: random commands of many threads against a model, and memory that must not grow.

    python tests/tools/stress                                    # on the device that cl2cuda chooses, or on CL2CUDA_DEVICE's
    python tests/tools/stress --commands 5000 --enqueues 0 --cycles 0 --seed 7
    CL2CUDA_DEVICE=host CL2CUDA_HOST_DEVICES=3 python tests/tools/stress --devices all
    python tests/tools/stress --imagined 4 --enqueues 0 --cycles 0      # GPUs without a GPU, whose streams run late; it needs NVRTC

Three parts: random commands (commands.py), launches without end and objects that come and go (growth.py). What is not done
after --limit seconds is left, and said; a run that has not ended GRACE seconds later hangs, and ends with every thread's
stack. Exit status: 0 for a whole run without a fault, 1 at the first difference or when memory grew, 2 if there was no time
for all of it.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import cl2cuda

cl2cuda.install()

import commands  # noqa: E402
import growth  # noqa: E402
import imagined  # noqa: E402
import pyopencl as cl  # noqa: E402

# Allocators keep a little; a leak of 100 bytes a repetition passes this.
# After a tenth of 2,000 cycles the host's heap still grows by 8 to 10 MiB, until 8,000 or so have left their holes in it: what is in use stays
# as it is from 4,000 on, at 27 MiB. A leak of one of the buffers each time would be 36 MiB in 2,000.
ALLOWED_GROWTH = 16 << 20
GRACE = 60


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/tools/stress", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commands", type=int, default=100_000, help="random commands in all")
    parser.add_argument("--threads", type=int, default=8, help="host threads that enqueue them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--enqueues", type=int, default=1_000_000, help="launches for the growth of memory")
    parser.add_argument("--cycles", type=int, default=100_000, help="objects made and dropped for the growth of memory")
    parser.add_argument("--devices", default="1", help="how many devices the random commands run on, of one context; or all")
    parser.add_argument("--imagined", type=int, default=0, help="run the random commands on so many imagined CUDA devices")
    parser.add_argument("--limit", type=int, default=180, help="seconds for all of it")
    parser.add_argument("--shared", action="store_true",
                        help="other processes use the device, too: the growth of its memory is told, but not judged")
    arguments = parser.parse_args()

    faulthandler.dump_traceback_later(arguments.limit + GRACE, exit=True)
    end = time.monotonic() + arguments.limit
    if arguments.imagined:
        imagined.install(arguments.imagined, arguments.seed)
        arguments.devices = "all"
    found = cl.get_platforms()[0].get_devices()
    devices, device = found if arguments.devices == "all" else found[: int(arguments.devices)], found[0]
    print(device.name + (f", {len(devices)} devices" if len(devices) > 1 else ""), flush=True)
    whole = True
    if arguments.commands:
        # Not all of the time, so that the other parts have some in any case.
        report, seconds = timed(commands.run, devices, arguments.commands, arguments.threads, arguments.seed, part_of_the_way_to(end))
        print_report(report, arguments, seconds)
        if report.callbacks != report.callbacks_wanted:
            return 1
        whole &= report.commands.total() >= arguments.commands // arguments.threads * arguments.threads
    grown = False
    for name, measure, count, last in (("launches", growth.enqueues, arguments.enqueues, part_of_the_way_to(end)),
                                       ("cycles", growth.cycles, arguments.cycles, end)):
        if count:
            found, seconds = timed(measure, device, count, last)
            print(f"{found.done:,} {of(found.done, count)}{name} in {seconds:.1f} s\n  memory of the process: {found.process}\n"
                  f"  memory of the device that cl2cuda holds: {found.held}\n  and that all processes use: {found.used}", flush=True)
            grown |= max(found.process.growth, found.held.growth, 0 if arguments.shared else found.used.growth) > ALLOWED_GROWTH
            whole &= found.done == count
    return 1 if grown else 0 if whole else 2


def part_of_the_way_to(end: float) -> float:
    now = time.monotonic()
    return now + (end - now) * 3 / 4


def timed(function, *arguments):
    start = time.perf_counter()
    return function(*arguments), time.perf_counter() - start


def of(done: int, wanted: int) -> str:
    return "" if done >= wanted else f"of {wanted:,} "


def print_report(report: commands.Report, arguments: argparse.Namespace, seconds: float) -> None:
    kinds = ", ".join(f"{count} {name}" for name, count in report.commands.most_common())
    done = report.commands.total()
    print(f"{done:,} {of(done, arguments.commands)}commands of {arguments.threads} threads in {seconds:.1f} s: {kinds}")
    print(f"  {report.compared:,} times what was read was compared with the model; {report.failed_as_meant} failed as they should, "
          f"{report.callbacks} of {report.callbacks_wanted} callbacks came", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
