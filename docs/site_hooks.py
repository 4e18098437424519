"""Hooks of `mkdocs build` (mkdocs.yml): the pages in the root of the repository become pages of the site, links between pages hold there
too, and what the fences of tests/house/test_documentation.py say of a block becomes its title.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# Pages in the root of the repository, and what they are called in the site.
OUTSIDE = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md"}
_LINK = re.compile(r"(?<!\\)(?P<image>!?)\[(?P<text>[^\]\n]*)\]\((?P<target>(?!\w+:|#)[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")
_FENCE = re.compile(r"^```(?P<language>\w+) (?P<file>\S+)$", re.MULTILINE)


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages from outside of docs/."""
    from mkdocs.structure.files import File

    for name, page in OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """The text of a page, for the site."""
    source = page.file.src_uri
    place = next((name for name, uri in OUTSIDE.items() if uri == source), f"docs/{source}")

    def link(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(place), match["target"]))
        uri = OUTSIDE.get(target) or target.removeprefix("docs/")
        if files.get_file_from_path(uri) and (target in OUTSIDE or target.startswith("docs/")):
            return f"{match['image']}[{match['text']}]({posixpath.relpath(uri, posixpath.dirname(source) or '.')}{match['anchor'] or ''})"
        if not (ROOT / target).exists():
            return match[0]  # mkdocs complains of it
        # Files of the repository that are no pages.
        return f"[{match['text']}]({config.repo_url.rstrip('/')}/blob/main/{target})" if config.repo_url else match["text"]

    return _FENCE.sub(r'```\g<language> title="\g<file>"', _LINK.sub(link, markdown))
