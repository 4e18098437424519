"""One process of the benchmark: measures one OpenCL implementation and prints what it found as one line of JSON.

Plain PyOpenCL: the benchmark runs this very program on the stock implementation and, through `cl2cuda run`, on cl2cuda.
It must not import cl2cuda. Every measurement is {"minimum", "median"} in seconds for one call.

usage: python measure.py probe|first|cached [--platform NAME] [--salt N] [--devices N] [--size big|small] [--quick] [--unchecked] [--groups NAME ...]
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl
from calls import SMALL_PROGRAM, measure_calls
from cases import Case
from further_calls import measure_further_calls
from host_costs import measure_host_costs
from replay import measure_replay
from varied_calls import measure_varied_calls

MISSING = 3  # the exit status where the implementation offers no device
# How long a short call is timed at least, in seconds, unless it has been for so many times `repeat` batches.
LEAST_TIME, MOST = 0.1, 20

Times = dict[str, float]

N = 64


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("phase", choices=["probe", "first", "cached"])
    parser.add_argument("--platform", default="")
    parser.add_argument("--salt", type=int, default=0)
    parser.add_argument("--size", choices=["big", "small"], default="small")
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--unchecked", action="store_true", help="kernels' results were found right by an earlier process")
    parser.add_argument("--groups", nargs="+", default=[])
    arguments = parser.parse_args()

    devices = find_devices(arguments.platform, arguments.devices)
    device = devices[0]
    if arguments.phase == "probe":
        result: dict[str, Any] = {
            "platform": device.platform.name, "device": device.name, "driver": device.driver_version, "version": device.version,
            "gpu": bool(device.type & cl.device_type.GPU), "python": sys.version.split()[0], "pyopencl": cl.VERSION_TEXT}
    elif arguments.phase == "first":
        result = measure_builds(device, "first build", arguments.salt)
    else:
        quick, big, groups, result = arguments.quick, arguments.size == "big", arguments.groups, {}
        if "builds" in groups:
            result |= measure_builds(device, "cached build", arguments.salt)
        if "calls" in groups:
            result |= measure_calls(devices, timed, expect, big=big, repeat=5 if quick else 40)
            result |= measure_replay(devices, timed, expect, repeat=3 if quick else 20)
            result |= measure_events(devices, repeat=5 if quick else 40)
            result |= measure_host_costs(devices, timed, expect, repeat=2 if quick else 20)
        if "further" in groups:
            result |= measure_further_calls(devices, timed, expect, repeat=2 if quick else 20)
        if "varied" in groups:
            result |= measure_varied_calls(devices, timed, expect, repeat=2 if quick else 20)
        if "copies" in groups:
            result |= measure_transfers(devices, big=big, repeat=3 if quick else 20)
        if "kernels" in groups:
            result |= measure_kernels(device, big=big, repeat=3 if quick else 20, checks=not arguments.unchecked)
    print(json.dumps(result))


def find_devices(platform: str, count: int) -> list[cl.Device]:
    """The first devices of the first platform whose name holds the given text."""
    try:
        platforms = cl.get_platforms()
    except cl.Error as error:
        platforms = []
        print(error, file=sys.stderr)
    for candidate in platforms:
        if platform in candidate.name:
            found = candidate.get_devices()[:count]
            if len(found) == count:
                return found
    names = ", ".join(repr(candidate.name) for candidate in platforms) or "none"
    print(f"no {count} devices on a platform named {platform!r}; platforms here: {names}", file=sys.stderr)
    raise SystemExit(MISSING)


def timed(call: Callable[[], Any], *, repeat: int, batch: int = 1, between: Callable[[], Any] = lambda: None) -> Times:
    """The time of one call, from `repeat` batches of calls, and from more of short ones: other processes of the machine disturb some
    milliseconds at a time. `between` runs untimed after each batch."""
    call()
    between()
    samples: list[float] = []
    gc.collect()
    gc.disable()
    begun = time.perf_counter()
    while len(samples) < repeat or (len(samples) < MOST * repeat and time.perf_counter() - begun < LEAST_TIME):
        start = time.perf_counter()
        for _ in range(batch):
            call()
        samples.append((time.perf_counter() - start) / batch)
        between()
    gc.enable()
    return summary(samples)


def summary(samples: list[float]) -> Times:
    return {"minimum": min(samples), "median": statistics.median(samples)}


def expect(right: bool, what: str) -> None:
    if not right:
        raise SystemExit(f"wrong result: {what}")


def measure_builds(device: cl.Device, name: str, salt: int) -> dict[str, Times]:
    """From source text until clBuildProgram has returned, until the device has the code (which the build need not wait for, but a
    kernel's properties on the device do), and until there is a result."""
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    x = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ones(N, np.float32))

    def with_code(*kernels: cl.Kernel) -> cl.Kernel:
        for kernel in kernels:
            kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, device)
        return kernels[0]

    def result(kernel: cl.Kernel, constant: str) -> None:
        y = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(N, np.float32))
        kernel(queue, (N,), (N,), np.float32(2), x, y, np.int32(N))
        found = np.empty(N, np.float32)
        cl.enqueue_copy(queue, found, y)
        expect(np.allclose(found, 2 + float(constant[:-1])), f"{name}: {found[0]} is not 2 + {constant}")

    def small(number: int) -> tuple[cl.Program, str]:
        constant = f"{salt}.{number}f"
        return cl.Program(context, SMALL_PROGRAM.replace("SALT", constant)).build(), constant

    calls, codes, results = [], [], []
    for number in range(6):
        start = time.perf_counter()
        program, constant = small(number)
        calls.append(time.perf_counter() - start)
        kernel = with_code(cl.Kernel(program, "saxpy"))
        codes.append(time.perf_counter() - start)
        result(kernel, constant)
        results.append(time.perf_counter() - start)

    start = time.perf_counter()
    for program, constant in [small(number) for number in range(6, 16)]:
        result(cl.Kernel(program, "saxpy"), constant)
    several = time.perf_counter() - start

    large = Path(__file__).with_name("kernels.cl").read_text() + f"__kernel void salt(__global float *x) {{ x[0] = {salt}.0f; }}\n"
    start = time.perf_counter()
    program = cl.Program(context, large).build()
    of_large = time.perf_counter() - start
    with_code(*program.all_kernels())
    code_of_large = time.perf_counter() - start
    return {
        f"{name}: one kernel, new process, to its code": summary(codes[:1]),
        f"{name}: one kernel, the call": summary(calls[1:]),
        f"{name}: one kernel, to its code": summary(codes[1:]),
        f"{name}: one kernel, to its result": summary(results[1:]),
        f"{name}: ten kernels, the call": summary([of_large]),
        f"{name}: ten kernels, to their code": summary([code_of_large]),
        f"{name}: ten programs, then their results": summary([several]),
    }


def measure_events(devices: list[cl.Device], repeat: int) -> dict[str, Times]:
    """Commands that only order others, and waiting."""
    context = cl.Context(devices)
    queue = cl.CommandQueue(context)
    other = cl.CommandQueue(context)
    complete = cl.command_execution_status.COMPLETE

    def wait_across_queues() -> None:
        cl.enqueue_marker(other, wait_for=[cl.enqueue_marker(queue)])

    def user_event() -> None:
        event = cl.UserEvent(context)
        marker = cl.enqueue_marker(queue, wait_for=[event])
        event.set_status(complete)
        marker.wait()

    def settle() -> None:
        queue.finish()
        other.finish()

    event = cl.enqueue_marker(queue)
    event.wait()
    return {
        "enqueue_marker": timed(lambda: cl.enqueue_marker(queue), repeat=repeat, batch=200, between=settle),
        "enqueue_marker and event.wait": timed(lambda: cl.enqueue_marker(queue).wait(), repeat=repeat, batch=50, between=settle),
        "wait for an event that has ended": timed(event.wait, repeat=repeat, batch=200),
        "marker that waits for another queue": timed(wait_across_queues, repeat=repeat, batch=50, between=settle),
        "user event, marker, set, wait": timed(user_event, repeat=repeat, batch=20, between=settle),
        "buffer of 1 MiB made and released": timed(
            lambda: cl.Buffer(context, cl.mem_flags.READ_WRITE, 1 << 20).release(), repeat=repeat, batch=20, between=settle),
    }


def measure_transfers(devices: list[cl.Device], *, big: bool, repeat: int) -> dict[str, dict[str, Any]]:
    """Blocking copies as PyOpenCL makes them by default, and maps: of pageable and of page-locked memory."""
    from transfers import copies, maps

    context = cl.Context(devices)
    queue = cl.CommandQueue(context)
    result: dict[str, dict[str, Any]] = {}
    for name, size, call in itertools.chain(copies(queue, big), maps(queue, big)):
        result[name] = timed(call, repeat=max(3, repeat if size < 1 << 28 else repeat // 4), batch=50 if size <= 1 << 16 else 1)
        if size >= 1 << 20:
            result[name] |= {"work": size * 1e-9, "unit": "GB"}
    return result


def measure_kernels(device: cl.Device, *, big: bool, repeat: int, checks: bool) -> dict[str, dict[str, Any]]:
    """The time on the device, by the events of a profiling queue."""
    import cases
    import more_cases

    context = cl.Context([device])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    folder = Path(__file__).parent
    sources = {cases: (folder / "kernels.cl").read_text(),
               more_cases: (folder / "more_kernels.cl").read_text() + more_cases.long_source()}
    result = {}
    for module, source in sources.items():
        program = cl.Program(context, source).build()
        for name, make in module.CASES.items():
            case = make(queue, big)
            result[f"device time: {name}"] = _device_time(queue, cl.Kernel(program, case.kernel), case, name, repeat, checks)
    return result


def _device_time(queue: cl.CommandQueue, kernel: cl.Kernel, case: Case, name: str, repeat: int, checks: bool) -> dict[str, Any]:
    def launch() -> cl.Event:
        if case.before_each:
            case.reset()
        return kernel(queue, case.global_size, case.local_size, *case.arguments)

    for _ in range(3):
        launch().wait()
    events = [launch() for _ in range(repeat)]
    queue.finish()
    times = summary([(event.profile.end - event.profile.start) * 1e-9 for event in events])
    if checks:
        case.reset()
        kernel(queue, case.global_size, case.local_size, *case.arguments)
        expect(case.check(), name)
    return {**times, "work": case.work, "unit": case.unit}


if __name__ == "__main__":
    main()
