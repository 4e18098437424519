"""What `cl2cuda check` found, as other programs read it: JSON, SARIF 2.1.0 for code scanning, and GitHub's workflow commands.

A place is the file as the user named it, with `/` between folders; lines and columns count from 1, columns in characters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from ..translator.diagnostics import Diagnostic
from ..version import VERSION

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# SARIF names a rule for every result: here what the translator tells apart.
RULES = {
    "error": ("opencl-c-error", "The program breaks a rule of OpenCL C, or its preprocessor's"),
    "warning": ("opencl-c-warning", "The program is valid, but probably not what was meant"),
    "note": ("opencl-c-note", "A remark on another message"),
}


def as_json(found: Sequence[Diagnostic]) -> str:
    """A list of objects; `file`, `line` and `column` are null for a message that speaks of no place."""
    return json.dumps([_object(each) for each in found], indent=2)


def _object(each: Diagnostic) -> dict[str, Any]:
    place = each.position
    return {
        "severity": each.severity, "message": each.message,
        "file": place.file if place else None, "line": place.line if place else None, "column": place.column if place else None,
        "source_line": each.source_line, "notes": [_object(note) for note in each.notes],
    }


def as_sarif(found: Sequence[Diagnostic]) -> str:
    """SARIF 2.1.0, 3.13: one log of one run."""
    driver = {
        "name": "cl2cuda check", "version": VERSION,
        "rules": [{"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
                  for level, (name, text) in RULES.items()],
    }
    run = {
        "tool": {"driver": driver}, "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True}], "results": [_result(each) for each in found],
    }
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _result(each: Diagnostic) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": RULES[each.severity][0], "level": each.severity, "message": {"text": each.message},
        "locations": [location] if (location := _location(each)) else [],
    }
    related = [{"id": number, "message": {"text": note.message}, **_location(note)} for number, note in enumerate(each.notes, 1)]
    if related:
        result["relatedLocations"] = related
    return result


def _location(each: Diagnostic) -> dict[str, Any]:
    if each.position is None:
        return {}
    region: dict[str, Any] = {"startLine": each.position.line, "startColumn": each.position.column}
    if each.source_line:
        region["snippet"] = {"text": each.source_line}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(each.position.file)}, "region": region}}


def _uri(file: str) -> str:
    """SARIF 3.4.3: a URI, or a relative reference, which readers take from the root of the sources."""
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def as_github(found: Sequence[Diagnostic]) -> str:
    """One workflow command a message, which GitHub shows beside the line in a pull request."""
    return "\n".join(map(_command, found))


_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def _command(each: Diagnostic) -> str:
    where = ""
    if each.position:
        where = f"file={_property(each.position.file)},line={each.position.line},col={each.position.column},"
    text = "\n".join([each.message, *map(str, each.notes)])
    return f"::{_LEVELS[each.severity]} {where}title=cl2cuda check::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMATS: dict[str, Callable[[Sequence[Diagnostic]], str]] = {"json": as_json, "sarif": as_sarif, "github": as_github}
