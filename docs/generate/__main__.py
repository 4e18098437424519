"""Writes the pages of docs/ that are made of the code's tables and docstrings:

    python docs/generate            # writes them
    python docs/generate --check    # says which of the committed ones are not what this would write; exit status 1 if any is
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(DOCS.parent))

import api  # noqa: E402
import command_line  # noqa: E402
import environment  # noqa: E402
import features  # noqa: E402

PAGES: dict[str, Callable[[], str]] = {
    "api/python.md": api.python_page,
    "api/runtime.md": api.runtime_page,
    "command-line.md": command_line.page,
    "environment.md": environment.page,
    "features.md": features.page,
}


def main(arguments: list[str]) -> int:
    stale = 0
    for name, page in PAGES.items():
        path, made = DOCS / name, page()
        if path.exists() and path.read_text(encoding="utf-8") == made:
            continue
        if "--check" in arguments:
            print(f"docs/{name} is not what the code says now: run python docs/generate")
            stale = 1
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made, encoding="utf-8")
            print(f"docs/{name}")
    return stale


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
