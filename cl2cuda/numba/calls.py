"""How a Numba kernel calls compiled code: what it may give for each parameter, and what becomes of that.

Scalars are converted as Numba does for its own functions; an array becomes the address of its first element.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .kernels import cuda

if TYPE_CHECKING:
    from .functions import Code


def declared(name: str, code: Code) -> Any:
    """A function that Numba's kernels call by its name. Raises ImportError where Numba cannot link code that it is given."""
    if not hasattr(cuda(), "Cubin"):
        raise ImportError("functions for Numba's kernels need numba-cuda, which links them: pip install 'cl2cuda[numba]'")
    types = _types()
    arguments = tuple(_type(types, each.numba) for each in code.parameters)
    linkable = (cuda().Cubin if code.data.startswith(b"\x7fELF") else cuda().PTXSource)(code.data, name=name)
    function = cuda().declare_device(code.symbol, _type(types, code.result)(*arguments), link=[linkable])
    return _intrinsic(name, function, arguments)


def _types() -> Any:
    """Numba's types, which all versions of numba.cuda share."""
    from numba import types

    return types


def _type(types: Any, expression: str) -> Any:
    pointee = expression.removeprefix("CPointer(").removesuffix(")")
    return types.CPointer(getattr(types, pointee)) if pointee != expression else getattr(types, expression)


def _intrinsic(name: str, function: Any, wanted: tuple[Any, ...]) -> Any:
    from numba.cuda.extending import intrinsic

    types = _types()

    def call(typingctx: Any, *given: Any) -> Any:
        refused = _refusal(name, typingctx, given, wanted)
        if refused:
            raise _typing_error(refused)

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            unpacked = [builder.extract_value(values[0], index) for index in range(len(given))]
            passed = [_passed(context, builder, *each) for each in zip(given, wanted, unpacked, strict=True)]
            known = typingctx.resolve_value_type(function)
            typingctx.resolve_function_type(known, wanted, {})
            called = context.get_function(known, function.sig)
            context.add_linking_libs(getattr(called, "libs", ()))
            return called(builder, passed)

        return function.sig.return_type(types.StarArgTuple.from_types(given)), generate

    call.__name__ = call.__qualname__ = name
    return intrinsic(call)


def _refusal(name: str, typingctx: Any, given: tuple[Any, ...], wanted: tuple[Any, ...]) -> str:
    """Why the function cannot be called with arguments of these types; "" if it can."""
    if len(given) != len(wanted):
        return f"{name} takes {len(wanted)} arguments, {len(given)} are given"
    for number, (one, other) in enumerate(zip(given, wanted, strict=True), 1):
        if not _fits(typingctx, one, other):
            return f"{name}: argument {number} is {one}, the function of OpenCL takes {_described(other)}"
    return ""


def _fits(typingctx: Any, given: Any, wanted: Any) -> bool:
    types = _types()
    if wanted == types.voidptr:
        return isinstance(given, (types.Array, types.CPointer)) or given == wanted
    if isinstance(wanted, types.CPointer):
        return given == wanted or (isinstance(given, types.Array) and given.dtype == wanted.dtype)
    return typingctx.can_convert(given, wanted) is not None


def _described(wanted: Any) -> str:
    types = _types()
    return f"{wanted}, or an array of {wanted.dtype}" if isinstance(wanted, types.CPointer) else str(wanted)


def _passed(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    types = _types()
    if isinstance(given, types.Array):
        value = context.make_array(given)(context, builder, value).data
    elif not isinstance(given, types.CPointer) and given != wanted:
        return context.cast(builder, value, given, wanted)
    expected = context.get_value_type(wanted)
    return value if value.type == expected else builder.bitcast(value, expected)


def _typing_error(text: str) -> Exception:
    try:
        from numba.cuda.core.errors import TypingError
    except ImportError:
        from numba.core.errors import TypingError
    return TypingError(text)
