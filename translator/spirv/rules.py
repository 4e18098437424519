"""Every instruction that may stand in a block, by name."""

from __future__ import annotations

from . import arithmetic, calls, groups, images, memory, pipes, synchronize
from .body import Rule

RULES: dict[str, Rule] = {**arithmetic.RULES, **memory.RULES, **calls.RULES, **synchronize.RULES, **groups.RULES, **images.RULES,
                          **pipes.RULES}  # fmt: skip
