"""The preprocessor: OpenCL C with directives and macros into text without them, and the way back (OpenCL C 6.12).

Owns lines, directives and files. A run of lines that names no macro is copied as it is; `macros` expands the others,
`conditions` decides #if, `linemap` keeps where everything came from.
"""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable, Mapping
from itertools import count

from ...diagnostics import MACRO_NESTING, Diagnostics
from ...ir.source_map import SourceFile, SourceMap
from ...options import BuildOptions
from ..dialect import Dialect
from .conditions import ConditionError, evaluate
from .headers import Headers
from .lexer import IDENTIFIER
from .macros import (
    ALONE,
    CHARACTERS_OF_A_TOKEN,
    PAINT,
    Expander,
    ExpansionLimit,
    Macro,
    MacroError,
    define,
    glues,
    join,
    quote,
    split,
    token_at,
    tokens_of,
)
from .predefined import TIMES, constant_names, predefined

__all__ = ["SourceMap", "preprocess"]

_DIRECTIVE = re.compile(r"^[ \t\f\v]*(?:#|%:)[ \t\f\v]*([^\W\d]\w*|[0-9]*)([^\n]*)\n?", re.MULTILINE)
_CONDITIONAL = re.compile(r"^[ \t\f\v]*(?:#|%:)[ \t\f\v]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b([^\n]*)\n?", re.MULTILINE)
# An identifier, found in half of the time where it is one of ASCII's letters. By what cannot begin it: to compile a class of all letters
# beyond ASCII takes milliseconds of every process.
_WORD = re.compile(r"[^\0-#%-@\[-^`{-\x7f][\w$]*")
_NAME = re.compile(rf"\s*({IDENTIFIER})")
_OPENING = re.compile(r"\s*\(")
# Directives that put nothing into the output, and then '(', in a group that is taken or in one that is not.
_OPENING_BEHIND = re.compile(r"(?:[ \t\f\v]*(?:#|%:)[ \t\f\v]*(?:define|undef|if\w*|el\w*|endif)\b[^\n]*\n\s*)+\(")
_MACRO_TO_KEEP = re.compile(rf'\s*\w+\s*\(\s*"({IDENTIFIER})"\s*\)\s*')
_INCLUDE = re.compile(r'\s*(?:"([^"]+)"|<([^>]+)>)')
_LINE = re.compile(r'\s*([0-9]+)(?:\s+"((?:[^"\\]|\\.)*)")?')
_VERBATIM_PRAGMAS = frozenset(("OPENCL", "STDC", "GCC"))
_MAX_INCLUDE_DEPTH = 200
_INCLUDE_COST = 100  # in tokens, of the limit that headers including themselves would pass


def preprocess(
    source: str,
    *,
    filename: str,
    options: BuildOptions,
    dialect: Dialect,
    headers: Mapping[str, str] = {},
    diagnostics: Diagnostics,
) -> SourceMap:
    """Preprocess one program. `headers` are found before files of the same name; `diagnostics` learns to show lines."""
    preprocessor = Preprocessor(options, dialect, headers, diagnostics)
    try:
        return preprocessor.run(source, filename)
    finally:
        vars(preprocessor).clear()  # its macros hold it; taken apart, it goes at once, with the text


class _Conditional:
    """An open #if: where it stands, whether a group of it has been taken, whether its #else has been seen."""

    __slots__ = ("offset", "seen_else", "taken")

    def __init__(self, offset: int, taken: bool):
        self.offset, self.taken, self.seen_else = offset, taken, False


class _Frame:
    """One file being read: text up to `stop` is active and holds no directive; `pos` is how far it has been read."""

    __slots__ = ("code", "conditionals", "depth", "file", "pos", "stop")

    def __init__(self, file: SourceFile, depth: int):
        self.file, self.code, self.depth = file, file.code, depth
        self.pos = self.stop = 0
        self.conditionals: list[_Conditional] = []


class Preprocessor:
    def __init__(self, options: BuildOptions, dialect: Dialect, headers: Mapping[str, str], diagnostics: Diagnostics):
        self.options = options
        self.headers = Headers(headers, options.include_dirs)
        self.diagnostics = diagnostics
        self.out = SourceMap()
        diagnostics.source_line = self.out.source_line
        self.once: set[str] = set()
        self.kept: dict[str, list[Macro | None]] = {}  # by `#pragma push_macro`
        self.counter = count()
        self.depth, self.filename, self.began = 0, "", time.localtime()  # what macros tell of the compilation
        self.place: tuple[SourceFile, int] = (SourceFile("<command line>", ""), 0)  # of what is being expanded
        self.macros = {**predefined(dialect), **self._dynamic_macros()}
        # Names that are macros by the specification but stay as they are, and what #if takes them for.
        self.constants: dict[str, int | None] = dict(constant_names(dialect))
        self.expander = Expander(self.macros, self.complain)

    def run(self, source: str, filename: str) -> SourceMap:
        self.filename = filename
        try:
            self._define_options()
            self._read(_Frame(self._add(SourceFile(filename, source)), 0))
        except RecursionError:
            self.complain(MACRO_NESTING)
        except ExpansionLimit:
            self.complain("macros or includes make more than ten million tokens here")
        self.out.finish()
        return self.out

    def _dynamic_macros(self) -> dict[str, Macro]:
        makers: dict[str, Callable[[list[list[str]]], list[str]]] = {
            "__LINE__": lambda args: [str(self.place[0].position(self.place[1]).line)],
            "__FILE__": lambda args: [quote(self.place[0].position(self.place[1]).file)],
            "__COUNTER__": lambda args: [str(next(self.counter))],
            "__INCLUDE_LEVEL__": lambda args: [str(self.depth)],
            "__BASE_FILE__": lambda args: [quote(self.filename)],
            **{name: functools.partial(self._time, name) for name in TIMES},
            "_Pragma": self._pragma_operator,
            "__has_include": self._has_header,
        }
        macros = {}
        for name, maker in makers.items():
            macro = macros[name] = Macro(name, ["string"] if name in ("_Pragma", "__has_include") else None)
            macro.dynamic, macro.predefined = maker, True
        return macros

    def _time(self, name: str, args: list[list[str]]) -> list[str]:
        return [quote(TIMES[name](self.began))]

    def _define_options(self) -> None:
        """-D and -U (OpenCL API 5.8.6.1), as if they were lines before the program."""
        lines = [f"#undef {name}" for name in self.options.undefines]
        lines += [f"#define {name} {value}" for name, value in self.options.defines]
        if lines:
            self._read(_Frame(self._add(SourceFile("<command line>", "\n".join(lines) + "\n")), 0))

    def _add(self, file: SourceFile) -> SourceFile:
        self.out.files.append(file)
        if file.unterminated_comment >= 0:
            self.error("unterminated /* comment", file, file.unterminated_comment)
        for offset in file.trigraphs:
            if (character := file.code[offset]) != " ":  # in a comment it changes nothing
                self.diagnostics.warning(f"trigraph converted to '{character}' character", file.position(offset))
        return file

    # Text

    def _read(self, frame: _Frame) -> None:
        while self._next_text(frame):
            words = _WORD.findall(frame.code, frame.pos, frame.stop)
            if self.macros.keys().isdisjoint(words):
                self._copy(frame, frame.stop)
            else:
                self._read_lines(frame)
        for conditional in frame.conditionals:
            self.error("unterminated conditional directive", frame.file, conditional.offset)

    def _copy(self, frame: _Frame, end: int) -> None:
        self.out.append(frame.code[frame.pos : end], frame.file, frame.pos, exact=True)
        frame.pos = end

    def _read_lines(self, frame: _Frame) -> None:
        """Active text that names a macro somewhere: lines that do not are copied in runs."""
        code, macros = frame.code, self.macros
        end = frame.pos
        while end < frame.stop:
            start = end
            end = code.find("\n", start) + 1 or len(code)
            if not macros.keys().isdisjoint(_WORD.findall(code, start, end)):
                self._copy(frame, start)
                self._expand_line(frame, end)
                end = frame.pos
        self._copy(frame, max(frame.pos, frame.stop))

    def _expand_line(self, frame: _Frame, end: int) -> None:
        """Expand from `frame.pos` to the end of the line, or of the last line that an invocation reaches into."""
        parts, macros = split(frame.code[frame.pos : end]), self.macros
        offset, known, i = frame.pos, 0, 1  # parts[known] begins at offset
        while i < len(parts):
            token = parts[i]
            if token not in macros:
                i += 2
                continue
            offset += sum(map(len, parts[known:i]))
            known, after = i, offset + len(token)
            source = _Following(self, frame, after, parts, i + 1, end)
            self.place = (frame.file, offset)
            result = self.expander.expand([token], source)
            if result != [token]:
                self._copy(frame, offset)
                self._emit(frame, result, parts[i - 2] if i > 1 and not parts[i - 1] else " ", source.pos)
                frame.pos = source.pos
                if source.pos != after:
                    parts, end, offset, known, i = source.parts, source.end, source.pos, source.next, source.next + 1
                    continue
            elif source.pos != after:  # no invocation, as directives behind the name have shown
                self._copy(frame, source.stopped)
                frame.pos = source.pos
                parts, end, offset, known, i = source.parts, source.end, source.pos, source.next, source.next + 1
                continue
            i += 2
        self._copy(frame, end)

    def _emit(self, frame: _Frame, tokens: list[str], before: str, end: int) -> None:
        """Append what a macro became, with the spaces that keep it apart from the text on both sides."""
        file, offset = self.place
        text = join(tokens)
        last = next((token for token in reversed(tokens) if token != " "), "")
        if not last:
            text = " "
        elif before not in ALONE and tokens[0] not in ALONE and glues(before, tokens[0].lstrip(PAINT)):
            text = " " + text
        if last and last not in ALONE and frame.code[end : end + 1] not in ALONE:
            following = token_at(frame.code, end)
            if following and glues(last.lstrip(PAINT), following):
                text += " "
        self.out.append(text, file, offset, exact=False)

    # Directives

    def _next_text(self, frame: _Frame) -> bool:
        """Obey directives until there is text to read; False at the end of the file."""
        code = frame.code
        while True:
            more = code.find("#", frame.pos) >= 0 or code.find("%:", frame.pos) >= 0
            match = _DIRECTIVE.search(code, frame.pos) if more else None
            frame.stop = match.start() if match else len(code)
            if frame.stop > frame.pos:
                return True
            if match is None:
                return False
            frame.pos = match.end()
            self._obey(frame, match)

    def _obey(self, frame: _Frame, match: re.Match[str]) -> None:
        name, rest = match.groups()
        offset = match.start(1)
        self.place = (frame.file, offset)
        if name.isdigit():  # a line marker, as `gcc -E` leaves them
            self._line(frame, name + rest, match)
            return
        try:
            if name in ("if", "ifdef", "ifndef"):
                frame.conditionals.append(_Conditional(offset, False))
                if not self._choose(frame.conditionals[-1], name, rest):
                    self._skip(frame)
            elif name in ("else", "elif", "elifdef", "elifndef", "endif"):
                self._end_group(frame, name)
            elif name == "define":
                self._define(rest)
            elif name == "undef":
                self._undefine(rest)
            elif name == "include":
                self._include(frame, rest)
            elif name == "pragma":
                self._pragma(frame, match)
            elif name == "line":
                self._line(frame, rest, match)
            elif name in ("error", "warning"):
                getattr(self.diagnostics, name)(rest.strip() or f"#{name}", frame.file.position(offset))
            elif name not in ("", "ident", "sccs") or (not name and rest.strip()):
                self.complain("invalid preprocessing directive")
        except (MacroError, ConditionError) as error:
            self.complain(str(error))

    def _define(self, rest: str) -> None:
        macro = define(rest)
        old = self.macros.get(macro.name)
        if old is not None and not old.predefined and not old.same_as(macro):
            self.warn(f"'{macro.name}' macro redefined")
        self.constants.pop(macro.name, None)
        self.macros[macro.name] = macro

    def _undefine(self, rest: str) -> None:
        name = _macro_name(rest)
        self.macros.pop(name, None)
        self.constants.pop(name, None)

    def _line(self, frame: _Frame, rest: str, match: re.Match[str]) -> None:
        found = _LINE.match(rest) or _LINE.match(join(self.expander.expand(tokens_of(rest))))
        if found is None:
            self.complain("#line directive requires a simple digit sequence")
            return
        name = re.sub(r"\\(.)", r"\1", found[2]) if found[2] is not None else None
        frame.file.presume(match.end(2), int(found[1]), name)

    # Pragmas

    def _pragma(self, frame: _Frame, match: re.Match[str]) -> None:
        rest = match[2]
        words = _WORD.findall(rest)
        if words == ["once"]:
            self.once.add(self.headers.identity(frame.file))
        elif words and words[0] in ("push_macro", "pop_macro"):
            self._keep_macro(words[0], rest)
        elif not words or words[0] in _VERBATIM_PRAGMAS or self.macros.keys().isdisjoint(words):
            self._start_line(frame)
            line = match[0].rstrip("\n") + "\n"
            digraph = line.lstrip().startswith("%:")
            self.out.append(line.replace("%:", "#", 1) if digraph else line, frame.file, match.start(), exact=not digraph)
        else:
            self._start_line(frame)
            self.out.append(self._pragma_text(rest) + "\n", frame.file, match.start(1), exact=False)

    def _keep_macro(self, pragma: str, rest: str) -> None:
        """`push_macro("name")` keeps what the name stands for, `pop_macro("name")` brings it back."""
        found = _MACRO_TO_KEEP.fullmatch(rest)
        if found is None:
            self.warn(f"pragma {pragma} requires a parenthesized string")
            return
        kept = self.kept.setdefault(found[1], [])
        if pragma == "push_macro":
            kept.append(self.macros.get(found[1]))
        elif not kept:
            self.warn(f"pragma pop_macro could not pop '{found[1]}', no matching push_macro")
        elif (macro := kept.pop()) is not None:
            self.macros[found[1]] = macro
        else:
            self.macros.pop(found[1], None)

    def _start_line(self, frame: _Frame) -> None:
        """A pragma amid the arguments of a macro, or after a file without a last newline, gets a line of its own."""
        if not self.out.ends_line():
            self.out.append("\n", frame.file, frame.pos, exact=False)

    def _pragma_text(self, rest: str) -> str:
        """The pragma with its arguments expanded, but not its name, which is two words for clang's."""
        tokens = tokens_of(rest)
        if not tokens or tokens[0] in _VERBATIM_PRAGMAS:
            return "#pragma " + join(tokens)
        named = 3 if tokens[0] == "clang" else 1
        return "#pragma " + join(tokens[:named] + self.expander.expand(tokens[named:]))

    def _pragma_operator(self, args: list[list[str]]) -> list[str]:
        """_Pragma("…") (C99 6.10.9): a line of its own."""
        literal = join(self.expander.expand(args[0])).strip()
        if not literal.startswith('"'):
            self.complain("_Pragma takes a parenthesized string literal")
            return []
        return ["\n" + self._pragma_text(re.sub(r'\\(["\\])', r"\1", literal[1:-1])) + "\n"]

    # Conditionals

    def _choose(self, conditional: _Conditional, name: str, rest: str) -> bool:
        """Whether the group that this #if or #elif opens is taken."""
        conditional.taken = False
        if name.endswith("def"):
            conditional.taken = self.is_defined(_macro_name(rest)) != name.endswith("ndef")
        else:
            self.expander.in_condition = True
            try:
                tokens = self.expander.expand(tokens_of(rest))
            finally:
                self.expander.in_condition = False
            conditional.taken = evaluate(tokens, self.is_defined, lambda name: self.constants.get(name) or 0)
        return conditional.taken

    def is_defined(self, name: str) -> bool:
        return name in self.macros or name in self.constants

    def _end_group(self, frame: _Frame, name: str) -> None:
        """An #else, #elif or #endif that ends a taken group."""
        if not frame.conditionals:
            self.complain(f"#{name} without #if")
        elif name == "endif":
            frame.conditionals.pop()
        else:
            self._check_order(frame, name)
            self._skip(frame)

    def _check_order(self, frame: _Frame, name: str) -> None:
        if frame.conditionals[-1].seen_else:
            self.complain(f"#{name} after #else")
        frame.conditionals[-1].seen_else |= name == "else"

    def _skip(self, frame: _Frame) -> None:
        """Skip groups until one is taken or the #if ends."""
        depth = 0
        while (match := _CONDITIONAL.search(frame.code, frame.pos)) is not None:
            frame.pos = match.end()
            name = match[1]
            if name.startswith("if"):
                depth += 1
            elif depth:
                depth -= name == "endif"
            elif name == "endif":
                frame.conditionals.pop()
                return
            else:
                self.place = (frame.file, match.start(1))
                self._check_order(frame, name)
                conditional = frame.conditionals[-1]
                if conditional.taken:
                    continue
                if name == "else":
                    conditional.taken = True
                    return
                if self._choose(conditional, name[2:], match[2]):
                    return
        frame.pos = len(frame.code)

    # Includes

    def _include(self, frame: _Frame, rest: str) -> None:
        found = _INCLUDE.match(rest) or _INCLUDE.match(join(self.expander.expand(tokens_of(rest))))
        if found is None:
            self.complain('expected "FILENAME" or <FILENAME>')
            return
        name = found[1] or found[2]
        file = self.headers.find(name, frame.file.name if found[1] else None)
        if file is None:
            self.complain(f"'{name}' file not found")
        elif frame.depth >= _MAX_INCLUDE_DEPTH:
            self.complain("#include nested too deeply")
        elif self.headers.identity(file) not in self.once:
            if file not in self.out.files:
                self._add(file)
            self._start_line(frame)
            self.expander.charge(_INCLUDE_COST + len(file.code) // CHARACTERS_OF_A_TOKEN)
            self.depth = frame.depth + 1
            self._read(_Frame(file, self.depth))
            self.depth = frame.depth
            self._start_line(frame)

    def _has_header(self, args: list[list[str]]) -> list[str]:
        """The answer to `__has_include("name")` and `__has_include(<name>)`."""
        found = _INCLUDE.match(join(args[0])) or _INCLUDE.match(join(self.expander.expand(args[0])))
        if found is None:
            self.complain('expected "FILENAME" or <FILENAME>')
            return ["0"]
        return [str(int(self.headers.find(found[1] or found[2], self.place[0].name if found[1] else None) is not None))]

    # Reports

    def complain(self, message: str) -> None:
        """An error at what is being obeyed or expanded."""
        self.error(message, *self.place)

    def warn(self, message: str) -> None:
        """A warning at what is being obeyed or expanded."""
        self.diagnostics.warning(message, self.place[0].position(self.place[1]))

    def error(self, message: str, file: SourceFile, offset: int) -> None:
        self.diagnostics.error(message, file.position(offset))


class _Following:
    """The text behind a macro's name, as an invocation reads it: through line ends and directives.

    `parts` are those of the line that is being read, up to `end`; the next one stands at `pos`. They are not taken apart again for each of
    the line's invocations.
    """

    def __init__(self, preprocessor: Preprocessor, frame: _Frame, pos: int, parts: list[str], next: int, end: int):
        self.preprocessor, self.frame, self.pos = preprocessor, frame, pos
        self.parts, self.next, self.end = parts, next, end
        self.stopped = pos  # where directives begin that have been obeyed behind the name

    def opens(self) -> bool:
        frame = self.frame
        match = _OPENING.match(frame.code, self.pos, frame.stop)
        if match is None and not frame.code[self.pos : frame.stop].strip() and _OPENING_BEHIND.match(frame.code, frame.stop):
            self._pass_directives()
            match = _OPENING.match(frame.code, self.pos, frame.stop)
        if match is None:
            return False
        while self.pos < match.end() and self.next < len(self.parts):
            self.pos += len(self.parts[self.next])
            self.next += 1
        if self.pos < match.end():  # on another line
            self._read_line(match.end())
        return True

    def _pass_directives(self) -> None:
        """Obeys those that come next, as clang does on its way to a '(': whether it opens an invocation, they tell."""
        frame, place, copied = self.frame, self.preprocessor.place, self.frame.pos
        self.stopped = frame.stop
        while not frame.code[self.pos : frame.stop].strip() and frame.stop < len(frame.code):
            frame.pos = frame.stop
            self.preprocessor._next_text(frame)
            self.pos = frame.pos
        self.preprocessor.place, frame.pos = place, copied
        self._read_line(self.pos)

    def _read_line(self, pos: int) -> None:
        frame = self.frame
        self.end = frame.code.find("\n", pos, frame.stop) + 1 or frame.stop
        self.pos, self.parts, self.next = pos, split(frame.code[pos : self.end]), 0

    def take(self) -> str | None:
        while True:
            while self.next < len(self.parts):
                part = self.parts[self.next]
                self.next += 1
                self.pos += len(part)
                if part:
                    return " " if part.isspace() else part
            frame = self.frame
            if self.pos >= frame.stop:
                place, copied = self.preprocessor.place, frame.pos
                frame.pos = self.pos
                more = self.preprocessor._next_text(frame)
                self.pos, frame.pos = frame.pos, copied
                self.preprocessor.place = place
                if not more:
                    return None
            self._read_line(self.pos)


def _macro_name(rest: str) -> str:
    match = _NAME.match(rest)
    if match is None:
        raise MacroError("macro name must be an identifier" if rest.strip() else "macro name missing")
    return match[1]
