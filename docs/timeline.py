"""Draws a trace of `cl2cuda run --trace` as a picture: python docs/timeline.py TRACE.json PICTURE.svg [FIRST LAST]

One row a queue's stream, time from left to right. FIRST and LAST are milliseconds and choose a part. Needs nothing but Python.
"""

from __future__ import annotations

import json
import sys
from html import escape
from pathlib import Path
from typing import Any

WIDTH, ROW, LEFT, TOP = 900, 34, 190, 34
COLOURS = ("#4878a8", "#d8863b", "#5a9e6f", "#a05195", "#8c6d46", "#6b7280")


def draw(records: list[dict[str, Any]], first: float, last: float) -> str:
    """Times in microseconds."""
    names = {(record["pid"], record["tid"]): record["args"]["name"] for record in records if record["name"] == "thread_name"}
    spans = [record for record in records
             if record["ph"] == "X" and record["pid"] > 1 and record["ts"] < last and record["ts"] + record["dur"] > first]
    rows = sorted({(record["pid"], record["tid"]) for record in spans})
    kinds = list(dict.fromkeys(record["name"] for record in spans))
    scale = (WIDTH - LEFT - 10) / (last - first)
    height = TOP + ROW * len(rows) + 30
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>']
    for number, row in enumerate(rows):
        y = TOP + ROW * number
        parts.append(f'<text x="8" y="{y + 19}" fill="#333">{escape(names.get(row, ""))}</text>')
        parts.append(f'<line x1="{LEFT}" y1="{y + ROW}" x2="{WIDTH - 10}" y2="{y + ROW}" stroke="#ddd"/>')
        for record in (record for record in spans if (record["pid"], record["tid"]) == row):
            start, end = max(record["ts"], first), min(record["ts"] + record["dur"], last)
            x, width = LEFT + (start - first) * scale, max((end - start) * scale, 1.0)
            colour = COLOURS[kinds.index(record["name"]) % len(COLOURS)]
            title = f"{record['name']}: {record['ts'] / 1000:.3f} ms, for {record['dur'] / 1000:.3f} ms"
            parts.append(f'<rect x="{x:.1f}" y="{y + 5}" width="{width:.1f}" height="{ROW - 9}" rx="3" fill="{colour}">'
                         f"<title>{escape(title)}</title></rect>")
            if width > 8 * len(record["name"]):
                parts.append(f'<text x="{x + 6:.1f}" y="{y + 21}" fill="white">{escape(record["name"])}</text>')
    for tick in range(6):
        x, time = LEFT + tick * (WIDTH - LEFT - 10) / 5, (last - first) * tick / 5000
        anchor = "end" if tick == 5 else "middle"
        parts.append(f'<text x="{x:.1f}" y="{TOP - 12}" fill="#666" text-anchor="{anchor}">{time:.1f} ms</text>')
        parts.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{height - 26}" stroke="#eee"/>')
    devices = ", ".join(record["args"]["name"] for record in records if record["name"] == "process_name" and record["pid"] > 1)
    parts.append(f'<text x="{LEFT}" y="{height - 8}" fill="#666">{escape(devices)}</text></svg>')
    return "\n".join(parts) + "\n"


def main() -> None:
    trace, picture, *part = sys.argv[1:]
    records = json.loads(Path(trace).read_text())["traceEvents"]
    spans = [record for record in records if record["ph"] == "X" and record["pid"] > 1]
    ends = [record["ts"] for record in spans] + [record["ts"] + record["dur"] for record in spans]
    first, last = (float(word) * 1000 for word in part) if part else (min(ends), max(ends))
    Path(picture).write_text(draw(records, first, last))


if __name__ == "__main__":
    main()
