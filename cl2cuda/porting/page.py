"""The report of a port as one page of HTML, which needs no network and no other file."""

from __future__ import annotations

from html import escape
from pathlib import PurePosixPath

from ..version import VERSION
from .host_calls import MANUAL, Calls
from .port import Outcome, Ported, Project

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --good: #1a7f37; --some: #9a6700; --bad: #cf222e; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
th { font-weight: 600; } code, pre { font: 13px/1.45 ui-monospace, monospace; } td a, td.word { white-space: nowrap; }
.programs td:nth-child(1) { width: 45%; } .programs td:nth-child(1) code { overflow-wrap: anywhere; }
pre { background: var(--soft); padding: .6rem .8rem; border-radius: 6px; overflow-x: auto; margin: .4rem 0; max-width: 30rem; }
.tiles { display: flex; gap: 1rem; flex-wrap: wrap; margin: 1.2rem 0; } .tile b { display: block; font-size: 1.6rem; }
.tile { border: 1px solid var(--line); border-radius: 8px; padding: .6rem 1rem; min-width: 8rem; }
.bar { display: flex; height: .7rem; border-radius: 4px; overflow: hidden; background: var(--soft); }
.ported { color: var(--good); } .partly { color: var(--some); } .failed { color: var(--bad); }
.bar .ported { background: var(--good); } .bar .partly { background: var(--some); } .bar .failed { background: var(--bad); }
ul { margin: .2rem 0; padding-left: 1.2rem; } .none { opacity: .7; } details summary { cursor: pointer; }
"""
_WORDS: dict[Outcome, str] = {"ported": "ported", "partly": "partly", "failed": "not ported"}
_MEANING: dict[Outcome, str] = {"ported": "translated, with launchers for every kernel", "partly": "translated; something needs a person",
                                "failed": "nothing was written"}


def page(project: Project) -> str:
    """The whole page."""
    parts = [_summary(project), _programs(project), _person(project), _calls(project.calls), _others(project)]
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(project.name)}: from OpenCL to CUDA</title><style>{_STYLE}</style></head><body>\n"
            + "\n".join(filter(None, parts)) + f"\n<p class=none>Written by cl2cuda {VERSION}.</p>\n</body></html>\n")


def _summary(project: Project) -> str:
    counts = {outcome: len(project.having(outcome)) for outcome in _WORDS}
    tiles = "".join(f"<div class=tile><b class={outcome}>{counts[outcome]}</b>{word}<br>"
                    f"<small class=none>{_MEANING[outcome]}</small></div>" for outcome, word in _WORDS.items())
    kernels = sum(len(each.kernels) for each in project.ported)
    bar = "".join(f'<span class={outcome} style="flex:{counts[outcome]}"></span>' for outcome in _WORDS if counts[outcome])
    return (f"<h1>{escape(project.name)}: from OpenCL to CUDA</h1>\n<p>{len(project.ported)} programs with kernels; {kernels} kernels have "
            f"launchers for {_LAUNCHERS[project.launchers]}.</p>\n<div class=tiles>{tiles}</div>\n<div class=bar>{bar}</div>")


_LAUNCHERS = {"cuda": "CUDA C++", "cupy": "CuPy", "numba": "Numba"}


def _programs(project: Project) -> str:
    rows = "".join(_program(each) for each in project.ported)
    return ("<h2>Programs</h2>\n<table class=programs><tr><th>Source</th><th>Outcome</th><th>Kernels</th><th>Written</th></tr>\n"
            f"{rows}</table>")


def _program(each: Ported) -> str:
    files = "<br>".join(f'<a href="{escape(name)}"><code>{escape(PurePosixPath(name).name)}</code></a>' for name in each.files) or _none()
    kernels = ", ".join(f"<code>{escape(name)}</code>" for name in each.kernels) or _none()
    warnings = f'<br><small class=none>{each.warnings} warning{"s" * (each.warnings != 1)}</small>' if each.warnings else ""
    options = f"<br><small class=none>built with</small> <code>{escape(each.options)}</code>" if each.options else ""
    errors = ""
    if each.errors:
        text = escape("\n".join(each.errors[:5]) + (f"\n... and {len(each.errors) - 5} more" if len(each.errors) > 5 else ""))
        errors = f"<details><summary>{len(each.errors)} error{'s' * (len(each.errors) != 1)}</summary><pre>{text}</pre></details>"
    source = f"<code>{escape(each.place)}</code>{options}{errors}"
    outcome = f'<td class="word {each.outcome}">{_WORDS[each.outcome]}{warnings}</td>'
    return f"<tr><td>{source}</td>{outcome}<td>{kernels}</td><td>{files}</td></tr>\n"


def _person(project: Project) -> str:
    asked = [each for each in project.ported if each.person]
    if not asked:
        return ""
    rows = "".join(f"<tr><td><code>{escape(each.place)}</code></td><td><ul>{_points(each.person)}</ul></td></tr>\n" for each in asked)
    return f"<h2>What needs a person</h2>\n<table><tr><th>Source</th><th>What</th></tr>\n{rows}</table>"


def _points(texts: list[str]) -> str:
    return "".join(f"<li>{escape(text)}</li>" for text in texts)


def _calls(calls: list[Calls]) -> str:
    if not calls:
        return ""
    rows = "".join(_call(each) for each in calls)
    return ("<h2>Host calls</h2>\n<p>The host's code is not rewritten. What it calls, and what CUDA's runtime has for it:</p>\n"
            f"<table><tr><th>OpenCL</th><th>Calls</th><th>CUDA</th><th>Remark</th><th>Files</th></tr>\n{rows}</table>")


def _call(each: Calls) -> str:
    files = escape(", ".join(each.files[:4])) + (f" and {len(each.files) - 4} more" if len(each.files) > 4 else "")
    cuda, remark = _none(), "no one counterpart: by hand"
    if each.row:
        shown = f"<code>{escape(each.row.cuda)}</code>" if each.row.cuda else "not needed"
        cuda, remark = f'<a href="{MANUAL.format(each.row.group)}">{shown}</a>', escape(each.row.remark)
    cells = (f"<code>{escape(each.name)}</code>", str(each.count), cuda, remark, f"<small>{files}</small>")
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def _others(project: Project) -> str:
    text = ""
    if project.helpers:
        text += ("<h2>OpenCL C without kernels</h2>\n<p>Other programs include these, or stand after them: "
                 + ", ".join(f"<code>{escape(name)}</code>" for name in project.helpers) + ".</p>")
    if project.unreadable:
        text += "<h2>Not read</h2>\n<ul>" + "".join(f"<li><code>{escape(each.file)}</code>: {escape(each.reason)}</li>"
                                                    for each in project.unreadable) + "</ul>"
    return text


def _none() -> str:
    return "<span class=none>none</span>"
