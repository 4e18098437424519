"""What every object of the face has in common: it stands for one object of the runtime, its `_core`.

Two handles are equal when they stand for the same object, as two `cl_mem` of equal value are. Also here: the way from the
runtime's objects and query values to the face's, the integers that stand for pointers, signatures of classes that begin in C, and
what classes have in common whose objects are this process's own.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from .. import runtime
from ..runtime.native import library as native
from ..runtime.spec.errors import CLError
from .errors import from_runtime, make_error
from .integers import Field, cl_uint, size_t

H = TypeVar("H", bound="Handle")

# By the names of the runtime's classes; and what has been found for a class, which may be a base's.
_HANDLE_OF: dict[str, type[Handle]] = {}
_FOUND: dict[type, type[Handle] | None] = {}
_BY_POINTER: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


class _SameInPython:
    """Handles are equal that stand for the same object."""

    __slots__ = ()
    _core: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Handle) and self._core is other._core

    def __hash__(self) -> int:
        return id(self._core)


_calls = native.calls()
if TYPE_CHECKING or _calls is None:  # noqa: SIM108  # A conditional expression is no class to mypy.
    Same = _SameInPython
else:
    Same = _calls.same()


class Uncopied:
    """Base of classes whose objects own something of this process: a copy would give it back once more, or name what is not there."""

    __slots__ = ()

    def __getstate__(self) -> Any:
        raise TypeError(f"cannot pickle {type(self).__name__!r} object")


def no_constructor(cls: type) -> TypeError:
    """What classes raise whose objects only calls make."""
    return TypeError(f"{cls.__module__}.{cls.__qualname__}: no constructor defined!")


class Handle(Same, Uncopied):
    """Base of the classes that stand for a runtime object."""

    __slots__ = ("__dict__", "__weakref__", "_core")
    _core: Any
    _pointer = 0  # what `int_ptr` has given
    # The status that `from_int_ptr` reports for an integer that stands for no such object.
    _invalid: ClassVar[str] = "INVALID_VALUE"

    def __init__(self, *arguments: Any, **named: Any) -> None:
        raise no_constructor(type(self))

    @classmethod
    def _of(cls: type[H], core: Any) -> H:
        """A handle for a runtime object that exists already; no constructor runs."""
        handle = cls.__new__(cls)
        handle._core = core
        return handle

    def get_info(self, arg: int) -> Any:
        """The answer to the object's clGet*Info query."""
        try:
            value = self._core.get_info(cl_uint(arg, "arg") if type(arg) is not int or arg >> 32 else arg)
        except CLError as failure:
            raise from_runtime(failure) from None
        return value if type(value) is int else to_python(value)

    @property
    def int_ptr(self) -> int:
        """An integer that stands for the object while it lives; `from_int_ptr` is the way back."""
        pointer = id(self._core)
        if self._pointer != pointer:
            _BY_POINTER[pointer] = self._core
            self._pointer = pointer
        return pointer

    _pointer_in_python = int_ptr

    @classmethod
    def from_int_ptr(cls: type[H], int_ptr_value: int, retain: bool = True) -> H:
        """A new handle for the object that `int_ptr` gave the integer for. Nothing is counted here: `retain` is ignored."""
        address = size_t(int_ptr_value, "int_ptr_value")
        core = _BY_POINTER.get(address)
        handle = handle_class(type(core)) if core is not None else None
        if handle is None or not (issubclass(cls, handle) or issubclass(handle, cls)):
            raise make_error(f"{cls.__name__}.from_int_ptr", cls._invalid, f"no {cls.__name__} lives at {address:#x}")
        return cls._of(core)


if _calls is not None:
    Handle.int_ptr = _calls.pointers(Handle)  # type: ignore[method-assign]


class Answering(Handle):
    """Base of the classes whose objects always give the same answer to a query, but for those of `_changing`: the runtime's object keeps
    it in `answers`. Handles in answers are the same each time, and so keep what PyOpenCL has asked them."""

    __slots__ = ()
    _changing: ClassVar[frozenset[int]] = frozenset()

    def get_info(self, arg: int) -> Any:
        """The answer to the object's clGet*Info query."""
        answers = self._core.answers
        answer = answers.get(arg) if type(arg) is int else None
        if answer is None:
            answer = self._answer(arg)
            if type(arg) is int and arg not in self._changing and _stays(answer):
                answers[arg] = answer
        return list(answer) if type(answer) is list else answer

    _query_in_python = get_info

    def _answer(self, arg: int) -> Any:
        return Handle.get_info(self, arg)


def _stays(answer: Any) -> bool:
    """Nobody can change it, but for a list, of which there are copies."""
    parts = answer if type(answer) is list else (answer,)
    return all(isinstance(part, (int, str, bytes, Handle)) for part in parts)


if _calls is not None:
    Answering.get_info = _calls.staying_queries(Answering)  # type: ignore[method-assign]


def stands_for(core_class: str) -> Callable[[type[H]], type[H]]:
    """Class decorator: the handle class for a class of the runtime, whose file need not have been imported."""

    def register(cls: type[H]) -> type[H]:
        _HANDLE_OF[f"{runtime.__name__}.{core_class}"] = cls
        return native.know_slots(cls)

    return register


def handle_class(core_class: type) -> type[Handle] | None:
    """The handle class for a runtime class or the nearest of its bases."""
    if core_class not in _FOUND:
        names = (f"{base.__module__}.{base.__qualname__}" for base in core_class.__mro__)
        _FOUND[core_class] = next((_HANDLE_OF[name] for name in names if name in _HANDLE_OF), None)
    return _FOUND[core_class]


class SignatureOf:
    """`__signature__` of a class whose `__init__` is `in_c`: that of the same function in Python. From such a class itself Python 3.13's
    inspect makes a TypeError, and earlier ones a signature without annotations. inspect is imported when it is asked for. A class with
    an `__init__` or `__new__` of its own has the signature of that; text in `__signature__`, which takes Python 3.12, would be its, too."""

    def __init__(self, in_c: Any, in_python: Callable[..., None]) -> None:
        self._in_c, self._in_python = in_c, in_python

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is not None or owner.__init__ is not self._in_c:
            raise AttributeError("__signature__")
        import inspect

        return inspect.signature(types.MethodType(self._in_python if owner.__new__ is object.__new__ else owner.__new__, owner))


class NameVersion:
    """cl_name_version: a name and the version of what it names."""

    __slots__ = ("_version", "name")
    version = Field(cl_uint)

    def __init__(self, version: int = 0, name: str = "") -> None:
        self.version, self.name = version, name

    def __repr__(self) -> str:
        return f"NameVersion({self.version:#x}, {self.name!r})"


def to_python(value: Any) -> Any:
    """A query's value as PyOpenCL gives it: numbers for truth values, lists for arrays, handles for objects, NameVersion for
    cl_name_version."""
    known = _FOUND.get(type(value))
    if known is not None:
        return known._of(value)
    if isinstance(value, bool):
        return int(value)
    if value is None or isinstance(value, (int, str, bytes)):
        return value
    if isinstance(value, (tuple, list)):
        return [_element(item) for item in value]
    handle = handle_class(type(value))
    return value if handle is None else handle._of(value)


def _element(item: Any) -> Any:
    if isinstance(item, tuple):
        name, version = item
        return NameVersion(version, name)
    return to_python(item)


def core_of(value: Any, cls: type[Handle], argument: str) -> Any:
    """The runtime object behind an argument; TypeError, naming the argument, when it is of another class."""
    if not isinstance(value, cls):
        raise TypeError(f"{argument} must be a pyopencl.{cls.__name__}, not {type(value).__name__}")
    return value._core


def cores(handles: Iterable[Any] | None) -> tuple[Any, ...]:
    """The runtime objects of a wait list or of another iterable of handles; None counts as empty."""
    try:
        return tuple([handle._core for handle in handles]) if handles else ()
    except AttributeError:
        raise TypeError(f"expected events or memory objects of pyopencl, got {handles!r}") from None
