"""The site of the pages (mkdocs.yml) is built without a warning, with all pages, and a search that finds what they say."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = {*(str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")), "index.md", "CONTRIBUTING.md", "CHANGELOG.md"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    for name in ("mkdocs", "material"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed: pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)], cwd=ROOT, capture_output=True,
                          text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stdout + done.stderr
    return folder


def test_every_page_has_its_place():
    """Also where the generator is not installed: a page that mkdocs.yml does not name fails its build."""
    named = re.findall(r"^ +- (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(PAGES)


class Asked(HTMLParser):
    """What a browser gets by itself when it shows a page."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag in ("script", "img", "iframe") and given.get("src"):
            self.found.append(given["src"])
        elif tag == "link" and given.get("rel") in ("stylesheet", "preconnect", "icon"):
            self.found.append(given["href"])


def test_every_page_is_there(site):
    assert {page.replace(".md", ".html") for page in PAGES} <= {str(path.relative_to(site)) for path in site.rglob("*.html")}


def test_no_page_asks_another_site_for_anything(site):
    for path in site.rglob("*.html"):
        asked = Asked()
        asked.feed(path.read_text(encoding="utf-8"))
        assert asked.found and not [each for each in asked.found if re.match(r"(https?:)?//", each)], path


def test_search_finds_headings(site):
    found = {each["location"].partition("#")[0] for each in json.loads((site / "search" / "search_index.json").read_text())["docs"]}
    assert {page.replace(".md", ".html") for page in PAGES} <= found


def test_links_lead_to_pages_of_the_site(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    assert 'href="profiling.html"' in text and "docs/profiling.md\"" not in text
    design = (site / "design.html").read_text(encoding="utf-8")
    assert 'href="index.html"' in design and 'href="CONTRIBUTING.html"' in design


def test_a_file_of_a_block_is_its_title(site):
    assert '<span class="filename">heat.cl</span>' in (site / "tutorial.html").read_text(encoding="utf-8")
