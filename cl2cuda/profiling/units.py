"""Figures as people read them."""

from __future__ import annotations

NOTHING = "-"

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))
_SIZES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def figure(value: float) -> str:
    """Three digits that count; no exponent."""
    if value == 0:
        return "0"
    return f"{value:.0f}" if abs(value) >= 99.95 else f"{value:.1f}" if abs(value) >= 9.995 else f"{value:.2f}"


def time(seconds: float | None) -> str:
    if seconds is None:
        return NOTHING
    for unit, name in _TIMES:
        if abs(seconds) >= unit * 0.9995:
            return f"{figure(seconds / unit)} {name}"
    return f"{seconds * 1e9:.0f} ns"


def size(count: float | None) -> str:
    if count is None:
        return NOTHING
    for unit, name in _SIZES:
        if count >= unit:
            return f"{figure(count / unit)} {name}"
    return f"{count:.0f} B"


def rate(per_second: float | None, unit: str = "GB/s") -> str:
    """Billions a second."""
    return NOTHING if per_second is None else f"{figure(per_second / 1e9)} {unit}"


def percent(share: float | None) -> str:
    if share is None:
        return NOTHING
    return f"{share * 100:.0f} %" if share >= 0.0995 or share == 0 else f"{share * 100:.1f} %" if share >= 0.0005 else "< 0.1 %"


def extent(values: tuple[float, float] | None) -> str:
    """The least and the most, or the one that both are."""
    if values is None:
        return NOTHING
    least, most = values
    return f"{least:g}" if least == most else f"{least:g} to {most:g}"


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
