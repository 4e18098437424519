"""Threads that compose the device library at once, as builds in several threads do."""

import threading
from concurrent.futures import ThreadPoolExecutor

from cl2cuda.builtins import prelude as preludes

# Their parameters differ in what C++ does not know: one definition is all three's.
USES = [("fn", "vloada_half3", "float3", "size_t", f"const {space} half *") for space in ("global", "local", "private")]


def test_each_use_finds_the_same_item(monkeypatch):
    """However many threads have composed it before the first of them has said so."""
    library, together = preludes.Library("cuda", False), threading.Barrier(len(USES))
    compose = library._compose

    def compose_together(overload):
        composed = compose(overload)
        together.wait(60)
        return composed

    monkeypatch.setattr(library, "_compose", compose_together)
    with ThreadPoolExecutor(len(USES)) as threads:
        found = list(threads.map(library.find, USES))
    assert len(set(found)) == 1
    assert [library.find(use) for use in USES] == found


def test_the_same_use_finds_the_same_item(monkeypatch):
    library, together = preludes.Library("host", False), threading.Barrier(4)
    find = library._find

    def find_together(*use):
        found = list(find(*use))
        together.wait(60)
        return found

    monkeypatch.setattr(library, "_find", find_together)
    with ThreadPoolExecutor(4) as threads:
        first, *others = threads.map(library.find, [("splat", "float4")] * 4)
    assert all(each is first for each in others)
