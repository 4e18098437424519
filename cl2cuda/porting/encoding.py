"""The encoding of sources."""

from __future__ import annotations

import codecs


def decoded(data: bytes) -> str:
    """UTF-16 where a byte order mark says so, as some editors and shells of Windows write; UTF-8, or else Latin-1, which comments of older
    sources have."""
    try:
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return data.decode("utf-16")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
