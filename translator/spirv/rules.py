"""Every instruction that may stand in a block, by name."""

from __future__ import annotations

from . import arithmetic, calls, composites, conversions, enqueue, groups, images, memory, pipes, synchronize
from .body import Rule

_PARTS = (arithmetic, conversions, memory, composites, calls, synchronize, groups, images, pipes, enqueue)
RULES: dict[str, Rule] = {name: rule for part in _PARTS for name, rule in part.RULES.items()}
