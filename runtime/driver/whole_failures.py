"""The part of a stream's interface that says nothing on a device that fails as a whole."""

from __future__ import annotations

from .interface import CommandFailed, CopyKind, Fence, TimeBase, UnrecordedFences


class FailsAsWhole:
    """A stream of such a device: no command fails, or is left out, while later ones run."""

    fails_apart = conditional = False
    brief_copy = 0

    def timed_copy(self, kind: CopyKind, destination: int, source: int, size: int) -> tuple[Fence, Fence] | None:
        return None

    def timed_fences(self) -> UnrecordedFences | None:
        return None

    def time_base(self) -> TimeBase:
        raise AssertionError("there are no timed fences")

    def counted_from(self, base: TimeBase, fences: UnrecordedFences) -> tuple[Fence, Fence]:
        raise AssertionError("there are no timed fences")

    def begin_contents(self) -> None:
        pass

    def end_contents(self) -> None:
        pass

    def end_command(self, given: bool = True) -> None:
        pass

    def failure_noted(self, failure: CommandFailed) -> None:
        pass
