"""Pipes (OpTypePipe): what packets they carry, which their type does not say but every instruction on one does."""

from __future__ import annotations

from ..types import UCHAR, Type
from .module import Module


def packet_types(module: Module, constants: object) -> dict[int, Type]:
    return {}


__all__ = ["UCHAR", "packet_types"]
