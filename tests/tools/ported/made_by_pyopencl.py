"""The programs that PyOpenCL makes when one of its own functions is called: their text, as it hands it to `Program`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from tools.corpus.build import Missing


def _made(kernel: str, call: Callable[[Any], object]) -> str:
    """The text of the program with this kernel that `call`, given a queue, has PyOpenCL make."""
    try:
        from cl2cuda import pyopencl as cl
    except ImportError:
        raise Missing("pyopencl") from None
    texts: list[str] = []
    original = cl.Program.__init__

    def recorded(self: Any, *arguments: Any, **named: Any) -> None:
        texts.extend(each for each in arguments if isinstance(each, str))
        original(self, *arguments, **named)

    cl.Program.__init__ = recorded
    try:
        call(cl.CommandQueue(cl.create_some_context(interactive=False)))
    finally:
        cl.Program.__init__ = original
    found = [each for each in texts if re.search(rf"kernel\s+void\s+{kernel}\b", each)]
    if not found:
        raise Missing(f"a PyOpenCL that makes {kernel}")
    # What keeps drivers from finding the program in a cache differs from call to call.
    return re.sub(r"^__constant int pyopencl_defeat_cache_\w+ = 0;$", "", found[0], flags=re.MULTILINE)


def sum_of_floats() -> str:
    def call(queue: Any) -> None:
        from pyopencl import array

        array.sum(array.to_device(queue, np.ones(1000, np.float32)))

    return _made("reduce_kernel_stage1", call)


def normal() -> str:
    def call(queue: Any) -> None:
        from pyopencl.clrandom import PhiloxGenerator

        PhiloxGenerator(queue.context).normal(queue, 100, np.float32)

    return _made("rng_gen_philox4x32_normal", call)


def bessel_jn() -> str:
    def call(queue: Any) -> None:
        from pyopencl import array, clmath

        clmath.bessel_jn(3, array.to_device(queue, np.ones(100)))

    return _made("bessel_jn_kernel", call)
