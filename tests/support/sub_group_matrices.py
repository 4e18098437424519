"""Matrices as cl_intel_subgroup_matrix_multiply_accumulate lays them out, and their products, by NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cl2cuda.builtins.table import Overload, names, overloads
from cl2cuda.builtins.typenames import split

NAME = "cl_intel_subgroup_matrix_multiply_accumulate"
BITS = {"i4": 4, "u4": 4, "i8": 8, "u8": 8, "f16": 16, "bf16": 16}
ARRAYS = {"half": np.float16, "float": np.float32, "int": np.int32, "short": np.int16, "ushort": np.uint16, "uint": np.uint32}


def functions() -> list[Overload]:
    return [o for name in names() if "_matrix_mad_k" in name for o in overloads(name)]


@dataclass(frozen=True)
class Matrices:
    """One product for each of `count` sub-groups. a, b, acc are arguments: a row a work-item, in its work-items' order."""

    overload: Overload
    count: int

    @property
    def sub_group(self) -> int:
        return 32 // np.dtype(ARRAYS[split(self.overload.parameters[0])[0]]).itemsize

    @property
    def rows(self) -> int:
        return split(self.overload.parameters[0])[1]

    def arguments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """a, b, acc, and the result. Elements are such that every sum is exact, the last rounding of the result excepted."""
        left, right = self.overload.name.split("_")[3:5]
        random = np.random.default_rng(len(self.overload.name) + self.rows)
        k, n, m = 256 // BITS[left], self.sub_group, self.rows
        a = elements(random, left, (self.count, m, k))
        b = elements(random, right, (self.count, k, n))
        kind = split(self.overload.result)[0]
        acc = random.integers(-100, 100, (self.count, m, n))
        product = acc + np.einsum("smk,skn->smn", a.astype(np.int64), b.astype(np.int64))
        # Work-item i has of each row of a the i-th of n equal parts, and a column of everything else.
        given_a = packed(a, left).view(f"u{32 // n}").transpose(0, 2, 1)
        given_b = packed(np.ascontiguousarray(b.transpose(0, 2, 1)), right).view(np.uint32)
        return tuple(map(np.ascontiguousarray, (given_a, given_b, columns(acc, kind), columns(product, kind))))  # type: ignore[return-value]


def elements(random: np.random.Generator, kind: str, shape: tuple[int, ...]) -> np.ndarray:
    """Whole numbers; as floating-point ones they are small."""
    bits = BITS[kind]
    low, high = {"i": (-(1 << bits - 1), 1 << bits - 1), "u": (0, 1 << bits)}.get(kind[0], (-9, 10))
    return random.integers(low, high, shape)


def bfloat16(values: np.ndarray) -> np.ndarray:
    """To the nearest, ties to even."""
    pattern = values.astype(np.float32).view(np.uint32)
    return ((pattern + 0x7FFF + (pattern >> 16 & 1)) >> 16).astype(np.uint16)


def packed(values: np.ndarray, kind: str) -> np.ndarray:
    """The last axis as bytes, the first element in the lowest bits."""
    match kind:
        case "f16":
            return values.astype(np.float16).view(np.uint8)
        case "bf16":
            return bfloat16(values).view(np.uint8)
        case "i8" | "u8":
            return values.astype(np.uint8)
    low, high = values[..., ::2] & 0xF, values[..., 1::2] & 0xF
    return (low | high << 4).astype(np.uint8)


def columns(values: np.ndarray, kind: str) -> np.ndarray:
    """By work-items, in the type of the accumulator; a short is a bfloat16."""
    turned = np.ascontiguousarray(values.transpose(0, 2, 1))
    return bfloat16(turned).view(np.int16) if kind == "short" else turned.astype(ARRAYS[kind])
