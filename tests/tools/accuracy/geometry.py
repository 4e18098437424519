"""The geometric functions (6.15.5) of every width, against NumPy's long double, which has room for every square and for more digits
than double.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cl2cuda.builtins.rows import ROWS
from cl2cuda.builtins.table import overloads
from cl2cuda.builtins.typenames import split

from .device import DTYPES, Device, Session
from .functions import FORMATS, Function
from .measure import Measured
from .points import moderate


def functions(element: str) -> list[Function]:
    """dot, length and so on of each width. `got` stores the components of the result; a width is part of the label."""
    found = {}
    for name in dict.fromkeys(row.name for row in ROWS if row.section == "6.15.5"):
        for overload in overloads(name):
            vector, width = split(overload.parameters[0])
            if vector != element:
                continue
            bound = overload.row.bound(element)
            assert bound
            loaded = ", ".join(_load(f"p{i}", width) for i in range(len(overload.parameters)))
            label = f"{name} {width}"
            fixed = bound._replace(constant=bound.at(width), slope=0)
            got = f"{name}({loaded})" if split(overload.result)[1] == 1 else f"convert_double{width}({name}({loaded}))"
            found[label] = Function(label, name, element, ("T",) * len(overload.parameters), got, "", fixed, "")
    return list(found.values())


def _load(pointer: str, width: int) -> str:
    return f"{pointer}[i]" if width == 1 else f"vload{width}(i, {pointer})"


def program(found: Sequence[Function]) -> str:
    kernels = []
    for number, function in enumerate(found):
        declared = ", ".join(f"const global {function.element} *p{i}" for i in range(len(function.parameters)))
        width = _result_width(function)
        store = f"r[i] = {function.got}" if width == 1 else f"vstore{width}({function.got}, i, r)"
        kernels.append(f"kernel void f{number}(global double *r, {declared}) {{ size_t i = get_global_id(0); {store}; }}\n")
    return "".join(kernels)


def _result_width(function: Function) -> int:
    return int(function.label.split()[1]) if function.name in ("cross", "normalize", "fast_normalize") else 1


def measure(element: str, devices: dict[str, Device], count: int, names: Sequence[str] = ()) -> Iterator[list[Measured]]:
    found = [function for function in functions(element) if not names or function.name in names]
    if not found:
        return
    sessions = {name: Session(device, found, text=program) for name, device in devices.items()}
    for function in found:
        width = int(function.label.split()[1])
        rng = np.random.default_rng(9)
        arguments = [_vectors(rng, function, width, count // 4) for _ in function.parameters]
        row = []
        for name, session in sessions.items():
            got = session.results(function, [a.ravel() for a in arguments], len(arguments[0]), _result_width(function))
            distances = _distances(function, got.astype(np.longdouble), [a.astype(np.longdouble) for a in arguments])
            worst = int(np.argmax(distances))
            where = tuple(float(x) for a in arguments for x in a[worst])
            row.append(Measured(function, name, float(distances[worst]), where, len(distances)))
        yield row


def _vectors(rng: np.random.Generator, function: Function, width: int, count: int) -> np.ndarray:
    """Components of one magnitude or several. Where squares have to fit, the exponents leave room for them."""
    element = function.element
    low, high = FORMATS[element].least, FORMATS[element].greatest - 2
    if function.name not in ("length", "distance", "normalize"):
        low, high = low // 2 + (12 if element == "float" else 2), high // 2 - 2
    scale = np.exp2(rng.integers(low, high - 1, (count, 1)))
    values = rng.uniform(-1, 1, (count, width)) * np.where(rng.random((count, width)) < 0.1, 2.0**-8, 1)
    values[: count // 2] = moderate(rng, "double", count // 2 * width).reshape(-1, width)
    values[count // 2 :] *= scale[count // 2 :]
    if function.name not in ("length", "distance", "normalize") or element == "half":
        values[: count // 2] = np.clip(values[: count // 2], -16, 16)
    values = values.astype(DTYPES[element])
    # "If the sum of squares is less than FLT_MIN then the implementation may return back p" (6.15.5), and 0 has no direction.
    fast = function.name.startswith("fast_")
    values[(values.astype(np.longdouble) ** 2).sum(axis=1) <= (np.ldexp(1.0, FORMATS[element].least) if fast else 0), 0] = 1
    return values


def _distances(function: Function, got: np.ndarray, arguments: list[np.ndarray]) -> np.ndarray:
    """In the bound's terms, of the worst component."""
    exact = _exact(function.name.removeprefix("fast_"), arguments).reshape(got.shape)
    bits, least, _ = FORMATS[function.element]
    bits -= 1
    if function.bound.kind == "squares":
        largest = np.max([np.abs(a).max(axis=1) for a in arguments], axis=0).reshape(-1, 1)
        # What is below the least normal number is rounded to a multiple of the least of all.
        unit = np.maximum(largest**2 * np.ldexp(np.longdouble(1), -bits), np.ldexp(np.longdouble(1), least - bits))
    else:
        mantissa, exponent = np.frexp(exact)
        exponent = np.maximum(exponent - 1 - (np.abs(mantissa) == 0.5), least) - bits
        unit = np.ldexp(np.longdouble(1), exponent)
    return (np.abs(got - exact) / unit).max(axis=1)


def _exact(name: str, arguments: list[np.ndarray]) -> np.ndarray:
    x, y = arguments[0], arguments[-1]
    match name:
        case "dot":
            return (x * y).sum(axis=1)
        case "distance":
            return np.sqrt(((x - y) ** 2).sum(axis=1))
        case "length":
            return np.sqrt((x**2).sum(axis=1))
        case "normalize":
            return x / np.sqrt((x**2).sum(axis=1, keepdims=True))
    product = np.cross(x[:, :3], y[:, :3])
    return product if x.shape[1] == 3 else np.concatenate([product, np.zeros((len(product), 1))], axis=1)
