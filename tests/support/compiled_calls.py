"""Tests run with the calls in C, as an installation does, where a C compiler is (CL2CUDA_NATIVE_CALLS=0: without). They are compiled when this
file is imported, which has to come before what asks for them: a process that has missed them once goes on without."""

from __future__ import annotations

import contextlib

from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.native.build import build_for_source_tree

with contextlib.suppress(DriverMissing):
    build_for_source_tree()
