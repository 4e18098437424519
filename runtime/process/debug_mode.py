"""The debug mode, CL2CUDA_DEBUG=1: a kernel that fails is named, with its arguments and the work-item or
work-groups at fault.

On, every launch is waited for, and a CUDA device runs a launch in pieces of few work-groups, each waited for
as well, so that the piece that fails is known. A CUDA device that failed is lost for the process all the
same. The host device builds programs such that it knows the work-item, and puts guards around every buffer.
Device memory comes from CUDA itself then and not from the pool, so that compute-sanitizer sees where buffers
end.

The switch is here; `kernel/watch` reports.
"""

from __future__ import annotations

from . import environment

VARIABLE = "CL2CUDA_DEBUG"
# How many pieces a launch is cut into at most.
MAX_PIECES = 4096

_active = environment.flag(VARIABLE)


def active() -> bool:
    """Whether queues made now are in debug mode."""
    return _active


def activate() -> None:
    """Turns debug mode on for queues made from now on."""
    global _active
    _active = True
