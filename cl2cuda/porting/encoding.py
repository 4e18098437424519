"""The encoding of sources."""

from __future__ import annotations


def decoded(data: bytes) -> str:
    """UTF-8, or else Latin-1, which comments of older sources have."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
