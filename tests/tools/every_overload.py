"""Compiles and runs a call of every overload in the signature table, and says how many there are.

    python tests/tools/every_overload.py                  all of it: some minutes
    python tests/tools/every_overload.py --counts         the numbers alone
    python tests/tools/every_overload.py --share 20       every twentieth overload

The programs are `overload_calls`'s. g++ compiles them for the host device, which runs them; NVRTC, which needs no GPU, for each
architecture; the CUDA device, where there is one, runs them too.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from support.overload_calls import ANY_TYPE_PROGRAM, CALLS, OPTIONS, ROOM, Program, every_overload, is_offered, programs
from support.specification_functions import FUNCTIONS, WITHOUT_ROW

from cl2cuda.builtins.any_type_rows import ANY_TYPE_ROWS
from cl2cuda.builtins.prelude import needs_general
from cl2cuda.builtins.table import ALL_ROWS, Overload, overloads
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program as RuntimeProgram
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

ARCHITECTURES = ("sm_75", "sm_90", "sm_120")
RGBA, DEPTH, FLOAT = 0x10B5, 0x10BD, 0x10DE  # CL_RGBA, CL_DEPTH, CL_FLOAT
NVRTC_FLAGS = ("--minimal", "--std=c++20", "--prec-div=false", "--prec-sqrt=false", "-w")


def share_of(found: Iterable[Overload], share: int) -> list[Overload]:
    """Every `share`-th overload."""
    return [o for i, o in enumerate(found) if i % share == 0]


def functions_without_row() -> list[str]:
    return [name for names in FUNCTIONS.values() for name in names if not overloads(name) and name not in ANY_TYPE_ROWS]


def nvrtc() -> Any:
    """NVRTC's bindings, or None with what is missing."""
    try:
        from cupy_backends.cuda.libs import nvrtc as found

        found.getVersion()
    except (ImportError, RuntimeError):
        return None
    return found


def compile_for_cuda(program: Program, architecture: str) -> None:
    """Raises NVRTCError, with what NVRTC said."""
    found = nvrtc()
    translation = program.translation()
    source = translation.source("cuda", variant="general" if needs_general(translation.used_builtins) else "plain")
    made = found.createProgram(source, "unit.cu", (), ())
    try:
        found.compileProgram(made, (*NVRTC_FLAGS, f"-arch={architecture}"))
    except found.NVRTCError as error:
        raise RuntimeError(f"{architecture}: {found.getProgramLog(made)[:3000]}") from error
    finally:
        found.destroyProgram(made)


def run(device: Device, program: Program) -> None:
    """Builds the program and runs its kernels with one work-group each."""
    context = Context([device])
    built = RuntimeProgram(context, program.source)
    built.build(OPTIONS)
    queue = CommandQueue(context, device)
    out, constants = (Buffer(context, codes.MEM_COPY_HOST_PTR, CALLS * ROOM, np.ones(CALLS * ROOM, np.uint8)) for _ in range(2))
    for name, image_types in program.kernels.items():
        kernel = Kernel(built, name)
        images = [_image(context, type_.split()[-1]) for type_ in image_types]
        for index, value in enumerate((out, constants, np.uint32(1), *images)):
            kernel.set_arg(index, value)
        enqueue_nd_range_kernel(queue, kernel, 1, None, (32,), (32,))
        queue.finish()


def _image(context: Context, type_: str) -> Image:
    """An image of floats, of the type that OpenCL C calls so."""
    kind = getattr(codes, "MEM_OBJECT_" + type_.removesuffix("_t").replace("_depth", "").upper())
    order, elements = (DEPTH, 1) if "depth" in type_ else (RGBA, 4)
    buffer = Buffer(context, 0, 8 * elements * 4) if "buffer" in type_ else None
    return Image(context, 0, (order, FLOAT), ImageDescriptor(kind, 8, 8, 8, 8 * ("array" in type_), mem_object=buffer))


def device_of(driver: str) -> Device | None:
    try:
        found = platforms.load_driver(driver).devices()
    except (AttributeError, DriverMissing):
        return None
    return Device(platforms.platforms()[0], driver, found[0]) if found else None


def print_counts(all_of_them: list[Overload], offered: list[Overload]) -> None:
    absent = Counter(o.row.requires or "half without cl_khr_fp16, or images" for o in all_of_them if not is_offered(o))
    print(f"rows of the table                   {len(ALL_ROWS) + len(ANY_TYPE_ROWS):6,}")
    print(f"overloads                           {len(all_of_them):6,}, and {len(ANY_TYPE_ROWS)} functions of any type")
    print(f"  offered                           {len(offered):6,}")
    for name, count in absent.most_common():
        print(f"  not offered: {name:<20} {count:6,}")
    print(f"functions in the specification      {sum(map(len, FUNCTIONS.values())):6,}")
    without = [name for name in functions_without_row() if name not in WITHOUT_ROW]
    print(f"  without a row                     {len(without) or 'none':>6} {' '.join(without)}")
    print(f"  for images of OpenGL, which there are none of: {', '.join(WITHOUT_ROW)}", flush=True)


def attempt(what: str, made: list[Program], action: Any) -> int:
    """Calls `action` with each program; prints and returns the number of failures."""
    failed = done = 0
    for program in made:
        try:
            action(program)
            done += len(program.overloads)
        except Exception as error:
            failed += 1
            print(f"{what}: {type(error).__name__} in {program.overloads[0].name} to {program.overloads[-1].name}: {error}"[:2000])
    print(f"{what:<36}{done:6,} overloads{f', {failed} programs FAILED' if failed else ''}", flush=True)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--share", type=int, default=1, metavar="N")
    parser.add_argument("--only", choices=["nvrtc", "host", "cuda"], help="do this alone")
    given = parser.parse_args()
    all_of_them = every_overload()
    offered = [o for o in all_of_them if is_offered(o)]
    print_counts(all_of_them, offered)
    if given.counts:
        return 0
    made = list(programs(share_of(offered, given.share)))
    failed = 0
    for driver in ("host", "cuda"):
        device = device_of(driver) if given.only in (None, driver) else None
        if device is not None:
            failed += attempt(f"compiled for and run on {driver}", made, lambda program, device=device: run(device, program))
    if given.only in (None, "nvrtc") and nvrtc() is not None:
        for architecture in ARCHITECTURES:
            compile_for_cuda(ANY_TYPE_PROGRAM, architecture)
            failed += attempt(f"compiled by NVRTC for {architecture}", made,
                              lambda program, architecture=architecture: compile_for_cuda(program, architecture))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
