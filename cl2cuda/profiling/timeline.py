"""The picture of the timeline: what every queue and the host did, from left to right; the wheel zooms, dragging moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from .commands import Command, Recorded
from .profile import Profile
from .units import time

WIDTH, ROW, LEFT, TOP = 1160, 30, 210, 26
# Bars nearer than this part of the whole are drawn as one where a row has more than it can show.
MOST_BARS = 3000
FINEST = 1 / 6000
KERNEL_COLOURS = ("#3b76af", "#d9822b", "#4a9d6a", "#a24f94", "#b04a3f", "#7a6a2f", "#2f8f9d", "#6c5fc7")
OTHER_KERNELS, COPY, OTHER, HOST = "#7c8794", "#9fb3c8", "#c2a878", "#b9bec5"


@dataclass(frozen=True)
class _Bar:
    """One command on the chart; times in seconds."""

    start: float
    end: float
    colour: str
    title: str
    label: str


def colours(profile: Profile) -> dict[str, str]:
    """Of the kernels, those that take the most time first."""
    totals: dict[str, float] = {}
    for device in profile.devices:
        for row in device.kernels:
            totals[row.name] = totals.get(row.name, 0.0) + row.times.total
    names = sorted(totals, key=lambda name: -totals[name])
    return {name: KERNEL_COLOURS[place] if place < len(KERNEL_COLOURS) else OTHER_KERNELS for place, name in enumerate(names)}


def draw(recorded: Recorded, profile: Profile) -> str:
    """One row a queue's stream, under its device's name, and one for the host. "" where there is nothing to draw."""
    by_kernel = colours(profile)
    rows: list[tuple[str, str, list[_Bar]]] = []
    for device in recorded.devices:
        for queue in dict.fromkeys(each.queue for each in device.commands):
            rows.append((queue, str(device.facts["name"]), [_bar(each, by_kernel) for each in device.commands if each.queue == queue]))
    if not rows:
        return ""
    first = min(bar.start for *_, bars in rows for bar in bars)
    last = max(bar.end for *_, bars in rows for bar in bars)
    host = [_Bar(max(each.start, first), min(each.end, last), HOST, f"{each.name}: {time(each.end - each.start)}", each.name)
            for each in recorded.host if each.end > first and each.start < last]
    if host:
        rows.append(("host", "", host))
    return _svg(rows, first, max(last - first, 1e-9))


def _bar(command: Command, by_kernel: dict[str, str]) -> _Bar:
    colour = by_kernel[command.name] if command.kind == "kernel" else COPY if command.kind == "copy" else OTHER
    size = f", {command.facts['bytes']} bytes" if "bytes" in command.facts else ""
    sizes = f", global size {tuple(command.facts['global_size'])}" if "global_size" in command.facts else ""
    title = f"{command.name}: {time(command.seconds)}, from {command.start * 1e3:.3f} ms{size}{sizes}"
    return _Bar(command.start, command.end, colour, title, command.name)


def _fewer(bars: list[_Bar], span: float) -> list[_Bar]:
    """Neighbours that no screen can tell apart as one bar."""
    if len(bars) <= MOST_BARS:
        return bars
    groups: list[list[_Bar]] = []
    for bar in sorted(bars, key=lambda each: each.start):
        if groups and bar.start - groups[-1][-1].end < span * FINEST and bar.end - groups[-1][0].start < span * FINEST * 4:
            groups[-1].append(bar)
        else:
            groups.append([bar])
    return [each[0] if len(each) == 1 else
            _Bar(each[0].start, max(bar.end for bar in each), max(each, key=lambda bar: bar.end - bar.start).colour,
                 f"{len(each)} commands, from {each[0].start * 1e3:.3f} ms", "") for each in groups]


def _svg(rows: Sequence[tuple[str, str, list[_Bar]]], first: float, span: float) -> str:
    height, inner = TOP + ROW * len(rows), WIDTH - LEFT
    names, drawn = [], []
    for number, (name, device, bars) in enumerate(rows):
        y = TOP + ROW * number
        names.append(f'<text x="0" y="{y + 19}"><title>{escape(device)}</title>{escape(name)}</text>'
                     f'<line x1="0" y1="{y + ROW}" x2="{WIDTH}" y2="{y + ROW}" class="rule"/>')
        for bar in _fewer(bars, span):
            x, width = (bar.start - first) / span, max((bar.end - bar.start) / span, 0.0)
            drawn.append(f'<rect x="{x:.7f}" y="{ROW * number + 4}" width="{width:.7f}" height="{ROW - 8}" fill="{bar.colour}" '
                         f'stroke="{bar.colour}"><title>{escape(bar.title)}</title></rect>')
    return (f'<svg class="timeline" viewBox="0 0 {WIDTH} {height}" data-first="{first * 1e3!r}" data-span="{span * 1e3!r}">'
            f'<g class="ticks"></g>{"".join(names)}'
            f'<svg class="bars" x="{LEFT}" y="{TOP}" width="{inner}" height="{ROW * len(rows)}" viewBox="0 0 1 {ROW * len(rows)}" '
            f'preserveAspectRatio="none">{"".join(drawn)}</svg></svg>')


# Ticks in the SVG's own units; the inner picture's viewBox is the part of the time that is seen, from 0 to 1.
SCRIPT = f"""
for (const svg of document.querySelectorAll("svg.timeline")) {{
  const bars = svg.querySelector("svg.bars"), ticks = svg.querySelector("g.ticks");
  const first = +svg.dataset.first, span = +svg.dataset.span, height = +bars.getAttribute("height");
  let from = 0, part = 1;
  const show = () => {{
    part = Math.min(1, Math.max(1e-6, part)); from = Math.min(1 - part, Math.max(0, from));
    bars.setAttribute("viewBox", `${{from}} 0 ${{part}} ${{height}}`);
    const step = 10 ** Math.floor(Math.log10(part * span / 4));
    const every = [1, 2, 5, 10].map(each => each * step).find(each => part * span / each <= 9);
    const begin = first + from * span, digits = Math.max(0, -Math.floor(Math.log10(every)));
    let text = "";
    for (let at = Math.ceil(begin / every) * every; at <= begin + part * span; at += every) {{
      const x = {LEFT} + (at - begin) / (part * span) * {WIDTH - LEFT};
      text += `<line x1="${{x}}" y1="{TOP - 6}" x2="${{x}}" y2="${{height + {TOP}}}" class="rule"/>`
            + `<text x="${{x}}" y="{TOP - 11}" text-anchor="${{x > {WIDTH - 40} ? "end" : x < {LEFT + 30} ? "start" : "middle"}}">`
            + `${{at.toFixed(digits)}} ms</text>`;
    }}
    ticks.innerHTML = text;
  }};
  const place = event => {{
    const box = svg.getBoundingClientRect();
    return ((event.clientX - box.left) * {WIDTH} / box.width - {LEFT}) / {WIDTH - LEFT};
  }};
  svg.addEventListener("wheel", event => {{
    event.preventDefault();
    const at = Math.min(1, Math.max(0, place(event))), factor = Math.exp(event.deltaY / 400);
    const next = Math.min(1, Math.max(1e-6, part * factor));
    from += at * (part - next); part = next; show();
  }}, {{passive: false}});
  let held = null;
  svg.addEventListener("pointerdown", event => {{ held = [place(event), from]; svg.setPointerCapture(event.pointerId); }});
  svg.addEventListener("pointermove", event => {{ if (held) {{ from = held[1] - (place(event) - held[0]) * part; show(); }} }});
  svg.addEventListener("pointerup", () => {{ held = null; }});
  svg.addEventListener("dblclick", () => {{ from = 0; part = 1; show(); }});
  show();
}}
"""
