"""Builds that count whether the disk cache served them, and the files it holds."""

from __future__ import annotations

from support.kernel_facts import kernel_info

from cl2cuda.runtime.driver import unfinished_code
from cl2cuda.runtime.process import disk_cache
from cl2cuda.runtime.program.program import Program


def build(fake, source="source", options=""):
    """How often that made the driver compile."""
    fake.kernels[:] = [kernel_info("add")]
    before = fake.driver.compiled
    program = Program(fake.context, source)
    program.build(options)
    assert program.kernel_names == ("add",)
    return fake.driver.compiled - before


def files():
    unfinished_code.wait_for_all()
    return sorted(disk_cache.directory().iterdir())
