"""The small file in which a person says how a project's programs are built: `cl2cuda port --options FILE`.

    [kernels/*.cl]                    what it is for: a pattern of files, as they lie in the project
    options = -D TILE=16 -I include   as for clBuildProgram; folders are the project's
    before = common.cl types.cl       files that stand before each of these in its program

Of the sections that fit a file the last counts that says something.
"""

from __future__ import annotations

import configparser
import fnmatch
from dataclasses import dataclass

_KNOWN = {"options", "before"}


class SettingsError(Exception):
    """The file cannot be read as one of settings."""


@dataclass(frozen=True)
class Settings:
    """The sections of a settings file, in its order: a pattern of files, and what holds for them."""

    sections: tuple[tuple[str, dict[str, str]], ...] = ()

    def get(self, file: str, what: str) -> str:
        found = [values[what] for pattern, values in self.sections if what in values and fnmatch.fnmatch(file, pattern)]
        return found[-1] if found else ""


def parse(text: str, name: str) -> Settings:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text, name)
    except configparser.Error as error:
        raise SettingsError(str(error).replace("\n", " ")) from None
    sections = tuple((section, dict(parser[section])) for section in parser.sections())
    for section, values in sections:
        for key in values.keys() - _KNOWN:
            raise SettingsError(f"{name}: [{section}] has {key!r}: it takes {' and '.join(sorted(_KNOWN))}")
    return Settings(sections)
