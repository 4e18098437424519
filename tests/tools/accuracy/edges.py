"""The edge cases of 7.5, case by case: OpenCL's own (7.5.1, 7.5.2) and those of C99's section F.9, to which 7.5 refers.

`±` stands for a sign and its opposite, on both sides alike. `pi` and its parts are rounded to the type, and may err as the function may.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

_ZEROS = """asin asinh asinpi atan atanh atanpi cbrt ceil erf expm1 floor log1p rint round sin sinh sinpi sqrt tan tanh tanpi trunc""".split()
_INFINITIES = "asinh cbrt ceil floor rint round sinh trunc".split()
_NANS = """acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erf erfc exp exp10 exp2 expm1 fabs floor lgamma
log log10 log1p log2 logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc""".split()
_NANS_OF_TWO = "atan2 atan2pi fdim fmod nextafter powr remainder".split()

OF_OPENCL = """
acospi(1) = 0; acospi(1.5) = nan; acospi(-1.5) = nan; acospi(inf) = nan; asinpi(±1.5) = nan; asinpi(inf) = nan
atanpi(±inf) = ±0.5
atan2pi(±0, -0) = ±1; atan2pi(±0, 0) = ±0; atan2pi(±0, -3) = ±1; atan2pi(±0, 3) = ±0; atan2pi(±0, inf) = ±0; atan2pi(±0, -inf) = ±1
atan2pi(-2, 0) = -0.5; atan2pi(-2, -0) = -0.5; atan2pi(2, 0) = 0.5; atan2pi(2, -0) = 0.5
atan2pi(±2, -inf) = ±1; atan2pi(±2, inf) = ±0; atan2pi(±inf, 7) = ±0.5; atan2pi(±inf, -7) = ±0.5; atan2pi(±inf, 0) = ±0.5
atan2pi(±inf, -inf) = ±0.75; atan2pi(±inf, inf) = ±0.25
ceil(-0.5) = -0; ceil(-0.001) = -0
cospi(±0) = 1; cospi(±0.5) = 0; cospi(±1.5) = 0; cospi(±2.5) = 0; cospi(±511.5) = 0; cospi(±inf) = nan
exp10(-inf) = 0; exp10(inf) = inf; exp10(±0) = 1
fdim(3, nan) = nan; fdim(nan, 3) = nan; fdim(inf, nan) = nan; fdim(nan, -inf) = nan; fdim(inf, -inf) = inf
fmod(±0, nan) = nan
nextafter(±1, ±1) = ±1; nextafter(0, -0) = -0; nextafter(-0, 0) = 0
pow(±0, -inf) = inf
powr(3, ±0) = 1; powr(0.5, ±0) = 1; powr(±0, -3) = inf; powr(±0, -2.5) = inf; powr(±0, -inf) = inf; powr(±0, 3) = 0; powr(±0, 2.5) = 0
powr(±0, inf) = 0; powr(1, ±7) = 1; powr(1, 0.5) = 1; powr(-1, 2) = nan; powr(-2, 0.5) = nan; powr(-inf, 1) = nan; powr(-3, ±0) = nan
powr(±0, 0) = nan; powr(±0, -0) = nan; powr(inf, ±0) = nan; powr(1, ±inf) = nan; powr(2, nan) = nan; powr(0, nan) = nan; powr(inf, nan) = nan
powr(nan, 2) = nan; powr(nan, 0) = nan; powr(inf, 2) = inf; powr(inf, -2) = 0; powr(2, inf) = inf; powr(2, -inf) = 0; powr(0.5, inf) = 0
rint(-0.5) = -0; rint(-0.25) = -0; round(-0.25) = -0; round(-0.49) = -0; trunc(-0.5) = -0; trunc(-0.99) = -0
sinpi(±1) = ±0; sinpi(±2) = ±0; sinpi(±3) = ±0; sinpi(±1000) = ±0; sinpi(±inf) = nan; sinpi(±0.5) = ±1; sinpi(±1.5) = ∓1
tanpi(±inf) = nan; tanpi(±2) = ±0; tanpi(±4) = ±0; tanpi(±1) = ∓0; tanpi(±3) = ∓0; tanpi(0.5) = inf; tanpi(2.5) = inf; tanpi(-1.5) = inf
tanpi(-3.5) = inf; tanpi(1.5) = -inf; tanpi(3.5) = -inf; tanpi(-0.5) = -inf; tanpi(-2.5) = -inf
sign(±0) = ±0; sign(nan) = 0; sign(±3) = ±1; sign(±inf) = ±1
maxmag(-3, 2) = -3; minmag(-3, 2) = 2; maxmag(-2, 2) = 2; minmag(nan, 2) = 2; maxmag(2, nan) = 2; minmag(nan, nan) = nan
clamp(5, 1, 2) = 2; clamp(nan, 1, 2) = 1; step(1, 1) = 1; step(1, 0.5) = 0; smoothstep(0, 1, -3) = 0; smoothstep(0, 1, 7) = 1; mix(1, 3, 0.5) = 2
"""

OF_C99 = """
acos(1) = 0; acos(1.5) = nan; acos(-1.5) = nan; acos(±inf) = nan; asin(±1.5) = nan; asin(±inf) = nan; atan(±inf) = ±pi/2
atan2(±0, -0) = ±pi; atan2(±0, 0) = ±0; atan2(±0, -3) = ±pi; atan2(±0, 3) = ±0; atan2(±0, -inf) = ±pi; atan2(±0, inf) = ±0
atan2(-3, ±0) = -pi/2; atan2(3, ±0) = pi/2; atan2(±3, -inf) = ±pi; atan2(±3, inf) = ±0; atan2(±inf, 3) = ±pi/2; atan2(±inf, -3) = ±pi/2
atan2(±inf, -inf) = ±3pi/4; atan2(±inf, inf) = ±pi/4
cos(±0) = 1; cos(±inf) = nan; sin(±inf) = nan; tan(±inf) = nan
acosh(1) = 0; acosh(0.5) = nan; acosh(-2) = nan; acosh(-inf) = nan; acosh(inf) = inf; atanh(±1) = ±inf; atanh(±1.5) = nan; atanh(±inf) = nan
cosh(±0) = 1; cosh(±inf) = inf; tanh(±inf) = ±1
exp(±0) = 1; exp(-inf) = 0; exp(inf) = inf; exp2(±0) = 1; exp2(-inf) = 0; exp2(inf) = inf; expm1(-inf) = -1; expm1(inf) = inf
log(±0) = -inf; log(1) = 0; log(-1) = nan; log(-inf) = nan; log(inf) = inf; log2(±0) = -inf; log2(1) = 0; log2(-1) = nan; log2(inf) = inf
log2(-inf) = nan; log10(±0) = -inf; log10(1) = 0; log10(-1) = nan; log10(-inf) = nan; log10(inf) = inf
log1p(-1) = -inf; log1p(-2) = nan; log1p(-inf) = nan; log1p(inf) = inf; logb(±0) = -inf; logb(±inf) = inf; logb(8) = 3
fabs(±0) = 0; fabs(±inf) = inf
hypot(±inf, 3) = inf; hypot(±inf, nan) = inf; hypot(nan, ±inf) = inf; hypot(±3, 0) = 3; hypot(0, ±3) = 3; hypot(nan, 3) = nan; hypot(±0, 0) = 0
pow(±0, -1) = ±inf; pow(±0, -3) = ±inf; pow(±0, -2) = inf; pow(±0, -2.5) = inf; pow(±0, 1) = ±0; pow(±0, 3) = ±0; pow(±0, 2) = 0
pow(±0, 2.5) = 0; pow(±0, inf) = 0; pow(-1, ±inf) = 1; pow(1, ±inf) = 1; pow(1, nan) = 1; pow(1, 3.5) = 1; pow(±3, 0) = 1; pow(3, -0) = 1
pow(nan, ±0) = 1; pow(±inf, 0) = 1; pow(±0, 0) = 1; pow(-3, 0.5) = nan; pow(-0.5, 1.5) = nan; pow(±0.5, -inf) = inf; pow(±2, -inf) = 0
pow(±0.5, inf) = 0; pow(±2, inf) = inf; pow(-inf, -3) = -0; pow(-inf, -2) = 0; pow(-inf, -2.5) = 0; pow(-inf, 3) = -inf; pow(-inf, 2) = inf
pow(-inf, 2.5) = inf; pow(inf, -2) = 0; pow(inf, 2) = inf; pow(nan, 2) = nan; pow(2, nan) = nan; pow(-2, nan) = nan
sqrt(inf) = inf; sqrt(-1) = nan; sqrt(-inf) = nan; rsqrt(±0) = ±inf; rsqrt(inf) = 0; rsqrt(-1) = nan
erf(±inf) = ±1; erfc(-inf) = 2; erfc(inf) = 0; erfc(±0) = 1
lgamma(1) = 0; lgamma(2) = 0; lgamma(±0) = inf; lgamma(-1) = inf; lgamma(-2) = inf; lgamma(-inf) = inf; lgamma(inf) = inf
tgamma(±0) = ±inf; tgamma(-1) = nan; tgamma(-2) = nan; tgamma(-inf) = nan; tgamma(inf) = inf
fmod(±0, 3) = ±0; fmod(±inf, 3) = nan; fmod(3, 0) = nan; fmod(±3, inf) = ±3; fmod(±3, -inf) = ±3; fmod(inf, inf) = nan; fmod(±3, 3) = ±0
remainder(±0, 3) = ±0; remainder(±inf, 3) = nan; remainder(3, ±0) = nan; remainder(±3, inf) = ±3; remainder(±3, -inf) = ±3; remainder(±3, 3) = ±0
copysign(3, -0) = -3; copysign(nan, 1) = nan; copysign(inf, -1) = -inf
fmax(nan, 3) = 3; fmax(3, nan) = 3; fmax(nan, nan) = nan; fmax(-inf, 3) = 3; fmin(nan, 3) = 3; fmin(3, nan) = 3; fmin(nan, nan) = nan
fmin(inf, 3) = 3; fdim(1, 3) = 0; fdim(3, 1) = 2
fma(inf, 0, 1) = nan; fma(0, inf, 1) = nan; fma(inf, 1, -inf) = nan; fma(-inf, 1, inf) = nan; fma(inf, 1, inf) = inf; fma(nan, 0, 1) = nan
fma(1, 1, -1) = 0; fma(-0, 1, -0) = -0; fma(2, 3, 4) = 10
"""

# With an integer.
OF_INTEGERS = """
pown(3, 0) = 1; pown(±0, 0) = 1; pown(nan, 0) = 1; pown(±inf, 0) = 1; pown(±0, -1) = ±inf; pown(±0, -3) = ±inf; pown(±0, -2) = inf; pown(±0, 2) = 0
pown(±0, 1) = ±0; pown(±0, 3) = ±0; pown(-inf, 3) = -inf; pown(-inf, 2) = inf; pown(-inf, -3) = -0; pown(inf, -1) = 0; pown(-1, 2147483647) = -1
pown(-1, -2147483648) = 1; pown(nan, 1) = nan
rootn(±0, -1) = ±inf; rootn(±0, -3) = ±inf; rootn(±0, -2) = inf; rootn(±0, 2) = 0; rootn(±0, 1) = ±0; rootn(±0, 3) = ±0; rootn(-4, 2) = nan
rootn(-4, -4) = nan; rootn(2, 0) = nan; rootn(0, 0) = nan; rootn(-8, 3) = -2; rootn(inf, 3) = inf; rootn(-inf, 3) = -inf; rootn(inf, -3) = 0
rootn(nan, 3) = nan
ldexp(±0, 7) = ±0; ldexp(±inf, -7) = ±inf; ldexp(±3, 0) = ±3; ldexp(nan, 2) = nan; ldexp(1, 2147483647) = inf; ldexp(-1, -2147483648) = -0
"""

# The second result, by the label that functions.FORMS gives it.
OF_SECOND_RESULTS = """
fract(±0) = ±0; fract *iptr(±0) = ±0; fract(±inf) = ±0; fract *iptr(±inf) = ±inf; fract(nan) = nan; fract *iptr(nan) = nan; fract(-0.25) = 0.75
frexp(±inf) = ±inf; frexp *exp(±inf) = 0; frexp(nan) = nan; frexp *exp(nan) = 0; frexp(±0) = ±0; frexp *exp(±0) = 0; frexp(3) = 0.75; frexp *exp(3) = 2
modf(±inf) = ±0; modf *iptr(±inf) = ±inf; modf(nan) = nan; modf *iptr(nan) = nan; modf(±0) = ±0; modf(±3) = ±0; modf *iptr(-0.5) = -0
lgamma_r *signp(±0) = 0; lgamma_r *signp(-1) = 0; lgamma_r *signp(-4) = 0; lgamma_r *signp(0.5) = 1; lgamma_r *signp(-0.5) = -1
lgamma_r *signp(-1.5) = 1; lgamma_r(±0) = inf
remquo(±inf, 3) = nan; remquo *quo(±inf, 3) = 0; remquo(3, ±0) = nan; remquo *quo(3, ±0) = 0; remquo(nan, 3) = nan; remquo *quo(nan, 3) = 0
remquo(3, nan) = nan; remquo *quo(3, nan) = 0; remquo(±7, 2) = ∓1; remquo *quo(±7, 2) = ±4; remquo(3, inf) = 3; remquo *quo(3, inf) = 0
sincos(±0) = ±0; sincos *cosval(±0) = 1; sincos(±inf) = nan; sincos *cosval(±inf) = nan
ilogb(±0) = -2147483648; ilogb(nan) = -2147483648; ilogb(±inf) = 2147483647; ilogb(8) = 3
"""


def cases() -> Iterator[tuple[str, tuple[float, ...], float]]:
    """(label, arguments, result) of each; functions with and without half_ before their name are one."""
    for name in _ZEROS:
        yield from _signs(f"{name}(±0) = ±0")
    for name in _INFINITIES:
        yield from _signs(f"{name}(±inf) = ±inf")
    for name in _NANS:
        yield from _signs(f"{name}(nan) = nan")
    for name in _NANS_OF_TWO:
        yield from _signs(f"{name}(nan, 2) = nan")
        yield from _signs(f"{name}(2, nan) = nan")
    for text in (OF_OPENCL, OF_C99, OF_INTEGERS, OF_SECOND_RESULTS):
        for case in text.replace("\n", ";").split(";"):
            if case.strip():
                yield from _signs(case.strip())


def _signs(case: str) -> Iterator[tuple[str, tuple[float, ...], float]]:
    for plus, minus in (("", "-"), ("-", "")) if "±" in case else (("", ""),):
        call, result = case.replace("±", plus).replace("∓", minus).split(" = ")
        label, arguments = call.rstrip(")").split("(")
        yield label, tuple(float(a) for a in arguments.split(",")), _value(result)


def _value(text: str) -> float:
    if "pi" not in text:
        return float(text.replace("--", ""))
    times, part = text.split("pi")
    number = {"": 1.0, "-": -1.0}.get(times)
    return (float(times) if number is None else number) * math.pi / (float(part[1:]) if part else 1)
