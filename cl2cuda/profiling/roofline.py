"""The roofline plot: what a kernel computes in a second over what it computes for a byte of memory, beside what the device can."""

from __future__ import annotations

import math
from html import escape

from .profile import DeviceProfile, KernelRow
from .units import figure, rate

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 760, 420, 74, 46, 16, 24


def missing(device: DeviceProfile) -> str:
    """Why there is no plot; "" where there can be one."""
    if not device.facts.get("peak_bandwidth") or not device.facts.get("peak_flops"):
        return "the peaks of this device are not known"
    if not any(_drawable(row) for row in device.kernels):
        return ("no kernel's bytes and operations of floating point were counted (`--counters` has NVIDIA Nsight Compute count them, on "
                "GPUs where that is allowed)")
    return ""


def _drawable(row: KernelRow) -> bool:
    return row.counted is not None and row.counted.bytes > 0 and row.counted.operations > 0 and row.times.mean > 0


def draw(device: DeviceProfile, colours: dict[str, str]) -> str:
    """For a device of which nothing is missing."""
    peak_rate, peak_flops = float(device.facts["peak_bandwidth"]), float(device.facts["peak_flops"])
    points = [(row, row.counted.operations / row.counted.bytes, row.counted.operations / row.times.mean)
              for row in device.kernels if row.counted is not None and _drawable(row)]
    ridge = peak_flops / peak_rate
    left = math.floor(math.log10(min(ridge / 30, *(x for _, x, _ in points)) * 0.8))
    right = math.ceil(math.log10(max(ridge * 10, *(x for _, x, _ in points)) * 1.25))
    top = math.ceil(math.log10(peak_flops * 1.2))
    low = math.floor(math.log10(min(peak_rate * 10**left, *(y for _, _, y in points)) * 0.8))

    def x_of(value: float) -> float:
        return LEFT + (math.log10(value) - left) / (right - left) * (WIDTH - LEFT - RIGHT)

    def y_of(value: float) -> float:
        return HEIGHT - BOTTOM - (math.log10(value) - low) / (top - low) * (HEIGHT - BOTTOM - TOP)

    parts = [f'<svg class="roofline" viewBox="0 0 {WIDTH} {HEIGHT}">']
    for power in range(left, right + 1):
        x = x_of(10.0**power)
        parts.append(f'<line class="rule" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}"/>'
                     f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{10.0**power:g}</text>')
    for power in range(low, top + 1):
        y = y_of(10.0**power)
        parts.append(f'<line class="rule" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>'
                     f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** (power - 9):g}</text>')
    start = max(10.0**left, 10.0**low / peak_rate)
    roof = [(start, start * peak_rate), (ridge, peak_flops), (10.0**right, peak_flops)]
    parts.append('<polyline class="roof" points="' + " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in roof) + '"/>')
    parts.append(f'<text x="{WIDTH - RIGHT - 4}" y="{y_of(peak_flops) - 7:.1f}" text-anchor="end">{rate(peak_flops, "Gflop/s")} (single '
                 f'floats)</text><text x="{x_of(start) + 10:.1f}" y="{y_of(start * peak_rate) - 26:.1f}">{rate(peak_rate)}</text>')
    for row, x, y in points:
        title = (f"{row.name}: {figure(x)} flop/byte, {rate(y, 'Gflop/s')}, {figure(100 * y / min(peak_flops, x * peak_rate))} % of what "
                 "the roof allows")
        radius = 4 + 9 * math.sqrt(row.share)
        place = x_of(x) + radius + 4
        anchor, place = ("end", x_of(x) - radius - 4) if place > WIDTH - RIGHT - 90 else ("start", place)
        parts.append(f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="{radius:.1f}" fill="{colours.get(row.name, "#777")}">'
                     f"<title>{escape(title)}</title></circle>"
                     f'<text x="{place:.1f}" y="{y_of(y) + 4:.1f}" text-anchor="{anchor}">{escape(row.name)}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 6}" text-anchor="middle">operations of floating point for a byte of memory'
                 f'</text><text transform="translate(14 {HEIGHT / 2 - 16}) rotate(-90)" text-anchor="middle">Gflop/s</text></svg>')
    return "".join(parts)
