"""Exceptions that came from beside what the program was doing: raised by a signal's handler, or by a function that traces or profiles."""

from __future__ import annotations

from types import FrameType, TracebackType


def came_from_beside(trace: TracebackType | None) -> bool:
    """Whether one of the calls was such a function's: Python gives it the frame that it interrupts, as an argument."""
    while trace is not None:
        if _was_given_its_caller(trace.tb_frame):
            return True
        trace = trace.tb_next
    return False


def _was_given_its_caller(frame: FrameType) -> bool:
    caller = frame.f_back
    return caller is not None and any(
        value is caller or (type(value) is tuple and any(each is caller for each in value)) for value in frame.f_locals.values())
