"""The application's side: its memory by addresses, its objects by theirs, its callbacks. The C library brings these functions when it
starts Python (`connect`); what stands on them here reads and writes the structures of the C interface."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..runtime.spec.errors import CLError


def _missing(*arguments: Any) -> Any:
    raise RuntimeError("only the C library can do this, and it has not started this Python")


# The C library's functions: driver/package.c says what each does.
read: Callable[[int, int], bytes] = _missing
write: Callable[[int, bytes], None] = _missing
view: Callable[[int, int], memoryview] = _missing
text: Callable[[int], bytes] = _missing
words: Callable[[int, int], tuple[int, ...]] = _missing
handle: Callable[[Any, str, bool, int], int] = _missing
core: Callable[[int, str], Any] = _missing
note_image_of: Callable[[int], None] = _missing
keep: Callable[[int], None] = _missing
drop: Callable[[int], None] = _missing
hold: Callable[[Any], int] = _missing
hold_event: Callable[[int], None] = _missing
let_go: Callable[[int], None] = _missing
call: Callable[[int, int, int, int, int], None] = _missing
end_arrays: Callable[[int], None] = _missing

# Sizes, an origin or a region; None for NULL.
Sizes = tuple[int, ...] | None

# Host memory comes without its size where pitches decide how much of it there is.
BOUNDLESS = 1 << 62

_given_properties: weakref.WeakKeyDictionary[Any, bytes] = weakref.WeakKeyDictionary()


def connect(functions: dict[str, Any]) -> None:
    """Takes the C library's functions."""
    globals().update(functions)


def string(address: int) -> str | None:
    return text(address).decode(errors="replace") if address else None


def sizes(address: int, count: int) -> tuple[int, ...] | None:
    """`count` numbers of type size_t; None for NULL."""
    return words(address, count) if address else None


def triple(routine: str, what: str, given: Sizes) -> tuple[int, ...]:
    """An origin or a region: CL_INVALID_VALUE if it is NULL."""
    if given is None:
        raise CLError(routine, "INVALID_VALUE", f"the {what} is NULL")
    return given


def host(routine: str, address: int, size: int) -> memoryview:
    """CL_INVALID_VALUE "if ptr is a NULL value", or for more than there is memory."""
    if not address:
        raise CLError(routine, "INVALID_VALUE", "the host pointer is NULL")
    if size > BOUNDLESS:
        raise CLError(routine, "INVALID_VALUE", f"no memory has {size} bytes")
    return view(address, size)


def put_uint(address: int, value: int) -> None:
    """Writes to where a cl_uint is wanted; nowhere if that is NULL."""
    if address:
        write(address, value.to_bytes(4, "little"))


def put_words(address: int, values: Iterable[int]) -> None:
    """Writes to an array of size_t, cl_ulong or pointers; nowhere if that is NULL."""
    if address:
        write(address, b"".join((value & (2**64 - 1)).to_bytes(8, "little") for value in values))


def put_list(routine: str, values: Sequence[int], room: int, address: int, count_address: int) -> None:
    """An array for which the application has room, and how long it is."""
    if address and not room:
        raise CLError(routine, "INVALID_VALUE", "there is an array, but the number of its entries is 0")
    put_words(address, values[:room])
    put_uint(count_address, len(values))


def properties(address: int, lists: Iterable[int] = ()) -> list[tuple[int, Any]]:
    """(name, value) pairs up to the closing 0. The value of those in `lists` is a tuple, which a 0 of its own closes."""
    found: list[tuple[int, Any]] = []
    place = address
    while place and (name := words(place, 1)[0]):
        place += 8
        if name in lists:
            values = []
            while value := words(place, 1)[0]:
                values.append(value)
                place += 8
            found.append((name, tuple(values)))
        else:
            found.append((name, words(place, 1)[0]))
        place += 8
    return found


def property_bytes(address: int, lists: Iterable[int] = ()) -> bytes:
    """The list as it lies, with the closing 0; b"" for NULL."""
    if not address:
        return b""
    entries = sum(1 + (len(value) + 1 if isinstance(value, tuple) else 1) for _, value in properties(address, lists))
    return read(address, 8 * (entries + 1))


def remember(subject: Any, address: int, lists: Iterable[int] = ()) -> Any:
    """"the implementation must return the values specified in the properties argument [...] in the same order": as they were."""
    if address:
        _given_properties[subject] = property_bytes(address, lists)
    return subject


def remembered(subject: Any) -> bytes:
    return _given_properties.get(subject, b"")


def check_callback(routine: str, function: int, user_data: int) -> None:
    """CL_INVALID_VALUE "if pfn_notify is NULL but user_data is not NULL"."""
    if user_data and not function:
        raise CLError(routine, "INVALID_VALUE", "there are data for a callback, but no callback")


def calling(function: int, address: int, user_data: int) -> Callable[..., None]:
    """A callback that is given an object, which lives until then, and the user's data."""
    keep(address)

    def run(*ignored: Any) -> None:
        try:
            call(function, address, user_data, 0, 0)
        finally:
            drop(address)

    return run


def calling_with_text(function: int, user_data: int) -> Callable[[str], None] | None:
    """A context's: void (*)(const char *errinfo, const void *private_info, size_t cb, void *user_data)."""
    if not function:
        return None

    def run(message: str) -> None:
        held = ctypes.create_string_buffer(message.encode())
        call(function, ctypes.addressof(held), 0, 0, user_data)

    return run
