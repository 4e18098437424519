"""Samplers (5.7)."""

from __future__ import annotations

from ..runtime.context.context import Context
from ..runtime.memory import sampler as samplers
from . import application
from .packing import info


def clCreateSamplerWithProperties(context: Context, properties: int) -> samplers.Sampler:
    given = [word for pair in application.properties(properties) for word in pair]
    return application.remember(samplers.Sampler(context, given if properties else None), properties)


def clCreateSampler(context: Context, normalized: int, addressing: int, filtering: int) -> samplers.Sampler:
    return samplers.create_sampler(context, bool(normalized), addressing, filtering)


def clGetSamplerInfo(sampler: samplers.Sampler, param: int) -> bytes:
    return info(samplers.QUERIES, sampler, param)
