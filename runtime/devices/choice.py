"""Whose devices programs see: what CL2CUDA_DEVICE says (cuda, remote, host, all), or nobody. Imports little: it is asked first of all."""

from __future__ import annotations

from ..process import environment

VARIABLE = "CL2CUDA_DEVICE"

# The driver's name in CL2CUDA_DEVICE, which is its folder's too: its package has `driver()`.
REMOTE = "remote"
DRIVERS = ("cuda", REMOTE, "host")
# Those whose devices programs see where nobody chooses, and the one where there are none of these.
BEST, OTHERWISE = ("cuda", REMOTE), "host"


def choice() -> str:
    """"" where nobody chooses."""
    return environment.text(VARIABLE).strip().lower()


def may_be(driver: str) -> bool:
    """Whether the driver will be asked for its devices, if any is."""
    chosen = choice()
    return chosen == driver or chosen == "all" or (not chosen and driver in BEST)
