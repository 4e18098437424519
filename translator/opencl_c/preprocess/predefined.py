"""The macros that are there before a program's first line, made from its dialect once (OpenCL C 6.12).

Built-in constants are macros by the specification but keep their names in the text: `constant_names` has those.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from functools import cache

from ....builtins.constants import constants
from ..dialect import Dialect
from .macros import Macro, define

# C names days and months in English, whatever the locale.
_DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
# When the program is translated (C99 6.10.8). A program that is a text has no other time.
TIMES: dict[str, Callable[[time.struct_time], str]] = {
    "__DATE__": lambda at: f"{_MONTHS[at.tm_mon - 1]} {at.tm_mday:2} {at.tm_year}",
    "__TIME__": lambda at: time.strftime("%H:%M:%S", at),
    "__TIMESTAMP__": lambda at: f"{_DAYS[at.tm_wday]} {_MONTHS[at.tm_mon - 1]} {at.tm_mday:2} {time.strftime('%H:%M:%S', at)} {at.tm_year}",
}


@cache
def predefined(dialect: Dialect) -> dict[str, Macro]:
    macros = {}
    for name, replacement in dialect.predefined_macros().items():
        macro = define(f"{name} {replacement}")
        macro.predefined = True
        macros[macro.name] = macro
    for name, answer in dialect.questions().items():
        macro = macros[name] = Macro(name, ["name"])
        macro.dynamic = functools.partial(_answered, answer)
        macro.predefined = True
    return macros


def _answered(answer: Callable[[str], bool], args: list[list[str]]) -> list[str]:
    return [str(int(answer("".join(args[0]).strip())))]


@cache
def constant_names(dialect: Dialect) -> dict[str, int | None]:
    """The built-in constants that this dialect has, with the integer values of those that #if may ask for."""
    found: dict[str, int | None] = {"true": 1, "false": 0}  # of type bool, so no macros in our text either (6.4.2)
    return found | {name: c.integer for name, c in constants.items() if c.since <= dialect.version and dialect.has(c.requires)}
