"""Every instruction that may stand in a block, by name."""

from __future__ import annotations

from . import arithmetic, calls, memory, synchronize
from .body import Rule

RULES: dict[str, Rule] = {**arithmetic.RULES, **memory.RULES, **calls.RULES, **synchronize.RULES}
