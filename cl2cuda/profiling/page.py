"""A profile as one page of HTML, which needs no network and no other file."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from html import escape

from ..version import VERSION
from . import roofline, table, timeline
from .commands import Recorded
from .compare import compared, word
from .profile import CopyRow, DeviceProfile, KernelRow, Profile
from .units import NOTHING, counted, extent, percent, rate, size, time

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --text: #1f2328; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e6e6; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 82rem; margin: 2rem auto; padding: 0 1rem; color: var(--text); }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.25rem; margin-top: 2.4rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .28rem .55rem; border-bottom: 1px solid var(--line); }
th, td { white-space: nowrap; vertical-align: top; }
th { font-weight: 600; font-size: .85em; vertical-align: bottom; } .left { text-align: left; }
td.text { white-space: normal; text-align: left; }
code { font: 13px/1.4 ui-monospace, monospace; } .soft { opacity: .72; }
.tiles { display: flex; gap: 1rem; flex-wrap: wrap; margin: 1.1rem 0; }
.tile b { display: block; font-size: 1.45rem; font-weight: 600; }
.tile { border: 1px solid var(--line); border-radius: 8px; padding: .5rem 1rem; min-width: 8rem; }
.share { display: inline-block; width: 5rem; height: .55rem; border-radius: 3px; background: var(--soft); margin-right: .5rem; }
.share { overflow: hidden; } .share i { display: block; height: 100%; }
.dot { display: inline-block; width: .7em; height: .7em; border-radius: 2px; margin-right: .45em; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; } svg text { fill: var(--text); }
svg .rule { stroke: var(--line); }
svg.timeline { cursor: grab; touch-action: pan-y; user-select: none; } svg.bars { overflow: hidden; }
svg.timeline .bars rect { stroke-width: 1px; vector-effect: non-scaling-stroke; }
svg.roofline { max-width: 50rem; } svg .roof { fill: none; stroke: var(--text); stroke-width: 2; } svg circle { fill-opacity: .85; }
"""
_Cell = tuple[str, str]  # class, and HTML


def page(profile: Profile, recorded: Recorded) -> str:
    """The whole page."""
    colours = timeline.colours(profile)
    picture = timeline.draw(recorded, profile)
    parts = [_summary(profile)]
    if picture:
        parts.append(f"<h2>Timeline</h2>\n<p class=soft>The wheel zooms, dragging moves, a double click shows all; a bar tells more when "
                     f"pointed at.</p>\n<div class=wide>{picture}</div>{_legend(colours)}")
    parts += [_device(device, colours) for device in profile.devices]
    if profile.host:
        parts.append("<h2>The host</h2>\n" + _table(("what", "calls", "total", "mean"), [
            [("left", f"<code>{escape(row.name)}</code>"), *_texts(str(row.times.calls), time(row.times.total), time(row.times.mean))]
            for row in profile.host]))
    parts.append("<h2>What profiling cost</h2>\n" + "".join(f"<p>{_sentence(line)}</p>" for line in table.overhead(profile)))
    return _document(f"Profile of {shlex.join(profile.program)}", parts, timeline.SCRIPT if picture else "")


def _document(title: str, parts: Sequence[str], script: str = "") -> str:
    code = f"<script>{script}</script>\n" if script else ""
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>\n" + "\n".join(parts)
            + f"\n<p class=soft>Written by cl2cuda {VERSION}.</p>\n{code}</body></html>\n")


def _summary(profile: Profile) -> str:
    tiles = [(time(profile.wall), "the program, with its exit status " + str(profile.status))]
    for device in profile.devices:
        tiles.append((percent(device.busy / device.span if device.span else None), f"of {time(device.span)} {device.name} was busy"))
    tiles.append((str(profile.commands), "commands" + (f" of {profile.processes} processes" if profile.processes > 1 else "")))
    shown = "".join(f"<div class=tile><b>{escape(value)}</b>{escape(text)}</div>" for value, text in tiles)
    return f"<h1>Profile</h1>\n<p><code>{escape(shlex.join(profile.program))}</code></p>\n<div class=tiles>{shown}</div>"


def _legend(colours: dict[str, str]) -> str:
    named = {name: colour for name, colour in colours.items() if colour != timeline.OTHER_KERNELS}
    more = {"other kernels": timeline.OTHER_KERNELS} if len(named) < len(colours) else {}
    entries = {**named, **more, "copies": timeline.COPY, "other commands": timeline.OTHER, "the host": timeline.HOST}
    return "<p>" + " &nbsp; ".join(f"{_dot(colour)}{escape(name)}" for name, colour in entries.items()) + "</p>"


def _dot(colour: str) -> str:
    return f'<span class=dot style="background:{colour}"></span>'


def _device(device: DeviceProfile, colours: dict[str, str]) -> str:
    facts = device.facts
    told = [rate(facts.get("peak_bandwidth")), rate(facts.get("peak_flops"), "Gflop/s (single floats)")]
    peaks = " and ".join(text for text in told if text != NOTHING)
    units = counted(int(facts["compute_units"]), "compute unit")
    parts = [f"<h2>{escape(device.name)}</h2>\n<p>{units}, {escape(str(facts['driver_version']))}{'; at most ' + peaks if peaks else ''}. "
             f"Busy {time(device.busy)} of {time(device.span)}, idle {time(device.idle)} in {counted(device.gaps, 'gap')}.</p>"]
    if device.kernels:
        parts.append("<h3>Kernels</h3>\n" + _kernels(device, colours))
        why = roofline.missing(device)
        drawn = f"<p class=soft>{_sentence('it is not drawn: ' + why)}</p>" if why else roofline.draw(device, colours)
        parts.append(f"<h3>Roofline</h3>\n{drawn}")
    copies = [*device.copies, *device.others]
    if copies:
        parts.append("<h3>Copies and other commands</h3>\n" + _table(("command", "calls", "total", "mean", "min", "max", "bytes", "rate"), [
            [("left", f"<code>{escape(row.name)}</code>"), *_texts(*_copy(row))] for row in copies]))
    if device.longest:
        parts.append("<h3>The longest gaps</h3>\n" + _table(("idle for", "from", "after", "before", "the host meanwhile"), [
            [*_texts(time(gap.seconds), f"{gap.start * 1e3:.3f} ms"),
             *(("left", f"<code>{escape(name)}</code>") for name in (gap.after, gap.before)),
             ("text", escape(", ".join(gap.host) or "nothing that a trace tells of"))] for gap in device.longest]))
    notes = table.device_notes(device)
    return "\n".join(parts) + ("<ul class=soft>" + "".join(f"<li>{_sentence(note)}</li>" for note in notes) + "</ul>" if notes else "")


def _kernels(device: DeviceProfile, colours: dict[str, str]) -> str:
    with_counters = any(row.counted for row in device.kernels)
    heads = ["kernel", "share", "calls", "total", "mean", "min", "max", "spread", "global<br>size", "local<br>size", "regis-<br>ters",
             "spills", "private", "local<br>memory", "occu-<br>pancy", "buffers<br>/time", "of peak"]
    if with_counters:
        heads += ["memory<br>a call", "memory<br>rate", "of peak", "Gflop/s", "flop<br>/byte"]
    return _table(heads, [_kernel(row, device, colours[row.name], with_counters) for row in device.kernels])


def _kernel(row: KernelRow, device: DeviceProfile, colour: str, with_counters: bool) -> list[_Cell]:
    times, peak, (whole, group, launches) = row.times, device.facts.get("peak_bandwidth"), row.sizes[0]
    others = f"<br><span class=soft>in {launches} of {times.calls}</span>" if len(row.sizes) > 1 else ""
    share = f'<span class=share><i style="width:{row.share * 100:.1f}%;background:{colour}"></i></span>{percent(row.share)}'
    cells = [("left", f"{_dot(colour)}<code>{escape(row.name)}</code>"), ("", share),
             *_texts(str(times.calls), time(times.total), time(times.mean), time(times.least), time(times.most), table.spread(row)),
             ("", _size(whole) + others), ("", _size(group)),
             *_texts(extent(row.registers), table.spills(row), table.sizes(row.private_memory), table.sizes(row.local_memory),
                     table.occupancy(row), rate(row.argument_rate), _of_peak(row.argument_rate, peak))]
    if with_counters:
        cells += _texts(*_counters(row, peak))
    return cells


def _counters(row: KernelRow, peak: float | None) -> tuple[str, ...]:
    if row.counted is None:
        return (NOTHING,) * 5
    each = f"{row.counted.operations / row.counted.bytes:.3g}" if row.counted.bytes else NOTHING
    flops = rate(row.counted.operations / row.times.mean, "").strip() if row.times.mean else NOTHING
    return size(row.counted.bytes), rate(row.counted_rate), _of_peak(row.counted_rate, peak), flops, each


def _of_peak(value: float | None, peak: float | None) -> str:
    return percent(value / peak) if value is not None and peak else NOTHING


def _copy(row: CopyRow) -> tuple[str, ...]:
    times = row.times
    return (str(times.calls), time(times.total), time(times.mean), time(times.least), time(times.most), size(row.bytes), rate(row.rate))


def _size(sizes: tuple[int, ...]) -> str:
    return " x ".join(map(str, sizes)) or NOTHING


def _texts(*texts: str) -> list[_Cell]:
    return [("", escape(text)) for text in texts]


def _sentence(text: str) -> str:
    """A note as a sentence of its own, with `code` in it."""
    pieces = escape(text[:1].upper() + text[1:]).split("`")
    return "".join(f"<code>{piece}</code>" if place % 2 else piece for place, piece in enumerate(pieces)) + "."


def _table(heads: Sequence[str], rows: Sequence[Sequence[_Cell]]) -> str:
    """The heads are HTML; a column is at its left where its cells are."""
    left = [bool(rows) and rows[0][place][0] in ("left", "text") for place in range(len(heads))]
    head = "".join(f"<th{' class=left' if at_left else ''}>{text}</th>" for text, at_left in zip(heads, left, strict=True))
    body = "".join("<tr>" + "".join(f"<td{f' class={kind}' if kind else ''}>{text}</td>" for kind, text in row) + "</tr>\n" for row in rows)
    return f"<div class=wide><table><tr>{head}</tr>\n{body}</table></div>"


def comparison(before: Profile, after: Profile, names: tuple[str, str]) -> str:
    """Two profiles as a page."""
    heads = "".join(f"<p><b>{letter}</b> {escape(name)}: <code>{escape(shlex.join(profile.program))}</code>, {time(profile.wall)}, on "
                    f"{escape(', '.join(device.name for device in profile.devices) or 'no device')}</p>\n"
                    for letter, name, profile in zip("AB", names, (before, after), strict=True))
    rows = []
    for each in compared(before, after):
        one, two = ((str(times.calls), time(times.mean)) if times else (NOTHING, NOTHING) for times in (each.before, each.after))
        rows.append([("left", escape(each.device)), ("left", f"<code>{escape(each.name)}</code>"),
                     *_texts(one[0], two[0], one[1], two[1], word(each), f"{'+' if each.total > 0 else ''}{time(each.total)}")])
    shown = _table(("device", "kernel or copy", "calls A", "calls B", "mean A", "mean B", "change", "total B - A"), rows)
    return _document("Two profiles", [f"<h1>Two profiles</h1>\n{heads}", shown])
