"""Tables of what either side has taken, in Markdown whose columns are aligned: to read on a terminal, and as part of a page."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

CLOCK = 1e-9  # seconds; what is less was not measured
_UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (0, "us"))


class Line(NamedTuple):
    """What was measured under that name, in seconds: of each side the median of every round, and the smallest time. `rate` is the
    second side's, as text."""

    name: str
    rounds: Sequence[Sequence[float]]
    smallest: Sequence[float]
    rate: str = ""


def table(sides: Sequence[str], lines: Sequence[Line]) -> str:
    """The medians of the rounds, in brackets the smallest and the largest. With two sides, the first of which is compared with, also
    the ratios of the medians and of the smallest times, and a summary of both."""
    pair, rates = len(sides) == 2, any(line.rate for line in lines)
    heads = ["", *sides, *(("ratio", "of the smallest") if pair else ()), *(("rate",) if rates else ())]
    rows, ratios = [], []
    for line in lines:
        cells = [line.name, *map(_times, line.rounds)]
        if pair:
            ratios.append((_ratio(*map(statistics.median, line.rounds)), _ratio(*line.smallest)))
            cells += [f"{ratio:.2f}" for ratio in ratios[-1]]
        rows.append([*cells, line.rate] if rates else cells)
    shown = _aligned(heads, rows)
    return "\n".join([shown, "", *_summary(ratios)] if pair else [shown])


def _ratio(stock: float, ours: float) -> float:
    return max(ours, CLOCK) / max(stock, CLOCK)


def _times(medians: Sequence[float]) -> str:
    middle = statistics.median(medians)
    scale, unit = next((scale or 1e-6, unit) for scale, unit in _UNITS if middle >= scale)
    return f"{_digits(middle / scale)} {unit} ({_digits(min(medians) / scale)} to {_digits(max(medians) / scale)})"


def _digits(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _aligned(heads: list[str], rows: list[list[str]]) -> str:
    widths = [max(5, *(len(row[column]) for row in [heads, *rows])) for column in range(len(heads))]
    marks = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join("| " + " | ".join([row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))])
                     + " |" for row in [heads, marks, *rows])


def _summary(ratios: Sequence[tuple[float, float]]) -> list[str]:
    return [f"{len(ratios)} lines, by {name}: geometric mean {statistics.geometric_mean(column):.3f}, "
            f"{sum(ratio > 1 for ratio in column)} above 1, {sum(ratio > 1.2 for ratio in column)} above 1.2"
            for name, column in zip(("the medians", "the smallest times"), zip(*ratios, strict=True), strict=True)]
