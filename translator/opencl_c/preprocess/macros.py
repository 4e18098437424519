"""Macros: their definitions, and the expansion of tokens by them (C99 6.10.3).

A token is its spelling; white space between tokens is the token " ". Expansion follows what gcc does where the standard
leaves it open: a macro is out of use while its own replacement is being read again, and an identifier met meanwhile is
painted with a leading NUL and never expanded again. Owns no lines, files or directives.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Protocol, final

from .lexer import IDENTIFIER, TOKEN

_IDENTIFIER = re.compile(IDENTIFIER)
_TOKEN = re.compile(TOKEN, re.VERBOSE)
_SPLIT = re.compile(rf"({TOKEN} | \#\#? | \S)", re.VERBOSE)
_DEFINITION = re.compile(rf"\s*({IDENTIFIER})(\(([^)]*)\))?(.*)", re.DOTALL)
PAINT = "\0"
EXPANSION_LIMIT = 10_000_000  # tokens, in one program; real ones were seen to make 2.5 million
CHARACTERS_OF_A_TOKEN = 16
ALONE = frozenset((" ", *"[](){},;~?"))  # tokens that are read the same whatever stands beside them
_OMITTED: list[str] = []  # the variadic argument of an invocation that gives none, not even an empty one

_EXPANDED, _RAW, _STRING = "expanded", "raw", "string"
_PASTE = ("##", -1)
_OPTIONAL = "__VA_OPT__"  # (…) of a variadic macro, with the number of items in the parentheses, which stand behind it
_HASH, _DOUBLE_HASH = ("#", "%:"), ("##", "%:%:")
Item = str | tuple[str, int]  # a token, or what is done with which parameter, or _PASTE, or _OPTIONAL


class MacroError(Exception):
    """A definition or an invocation that the standard forbids; the message is meant for the user."""


class ExpansionLimit(Exception):
    """Macros have made more than any real program needs."""


@final
class Macro:
    """`params` is None for an object-like macro; a variadic one has its last parameter take what is left.

    `dynamic`, for a macro like __LINE__, makes the replacement from the arguments at each use. Of macros in headers few are used: a
    replacement that cannot be wrong is `unread` until then.
    """

    __slots__ = ("body", "disabled", "dynamic", "name", "optional", "params", "pieces", "predefined", "simple", "unread", "variadic")

    def __init__(self, name: str, params: list[str] | None = None, variadic: bool = False):
        self.name, self.params, self.variadic = name, params, variadic
        self.body: list[Item] = []
        self.simple = True  # the body is tokens only
        self.optional = False  # it has a __VA_OPT__
        self.pieces: list[list[str] | int] | None = None  # a body of nothing but tokens and expanded parameters
        self.disabled = False
        self.predefined = False
        self.unread: str | None = None
        self.dynamic: Callable[[list[list[str]]], list[str]] | None = None

    def read(self, replacement: str) -> None:
        tokens = tokens_of(replacement)
        self.body = list(_object_like(tokens) if self.params is None else _function_like(tokens, self.params, self.variadic))
        self.simple = all(isinstance(item, str) for item in self.body)
        if not self.simple and all(isinstance(item, str) or item[0] is _EXPANDED for item in self.body):
            self.pieces = _pieces(self.body)
        self.optional = any(isinstance(item, tuple) and item[0] == _OPTIONAL for item in self.body)
        self.unread = None  # last: programs of several threads share those that are predefined

    def same_as(self, other: Macro) -> bool:
        for each in (self, other):
            if each.unread is not None:
                each.read(each.unread)
        return (self.params, self.variadic, self.body) == (other.params, other.variadic, other.body)


class Source(Protocol):
    """Where an invocation that runs past the tokens at hand finds the rest: the user's text behind it."""

    def opens(self) -> bool:
        """Whether '(' comes next; if so, it is taken."""

    def take(self) -> str | None:
        """The next token, white space included; None at the end of the file."""


def split(text: str) -> list[str]:
    """Text as alternating gaps and tokens, from a gap to a gap."""
    return _SPLIT.split(text)


def token_at(text: str, place: int) -> str:
    """The token that begins there; "" where white space or the end does."""
    match = _SPLIT.match(text, place)
    return match[0] if match else ""


def tokens_of(text: str) -> list[str]:
    """Text as tokens, each gap a single " ", none at the ends."""
    parts = _SPLIT.split(text)
    tokens: list[str] = []
    for i in range(1, len(parts), 2):
        if parts[i - 1] and tokens:
            tokens.append(" ")
        tokens.append(parts[i])
    return tokens


# define: identifier ('(' (identifier (',' identifier)*)? (',' '...' | identifier '...')? ')')? replacement
def define(text: str) -> Macro:
    """The macro that `#define text` defines."""
    match = _DEFINITION.match(text)
    if match is None:
        raise MacroError("macro name must be an identifier" if text.strip() else "macro name missing")
    name, has_params, params, replacement = match.groups()
    if name == "defined":
        raise MacroError("'defined' cannot be used as a macro name")
    if not has_params:
        if replacement.startswith("("):
            raise MacroError("missing ')' in macro parameter list")
        macro = Macro(name)
    else:
        macro = Macro(name, *_parameters(params))
    if "#" in replacement or "%:" in replacement or _OPTIONAL in replacement:
        macro.read(replacement)
    else:
        macro.unread = replacement
    return macro


def _pieces(body: list[Item]) -> list[list[str] | int]:
    """The tokens between parameters, and the parameters' numbers."""
    tokens: list[str] = []
    pieces: list[list[str] | int] = [tokens]
    for item in body:
        if isinstance(item, str):
            tokens.append(item)
        else:
            tokens = []
            pieces += [item[1], tokens]
    return pieces


def _parameters(text: str) -> tuple[list[str], bool]:
    names = [name.strip() for name in text.split(",")] if text.strip() else []
    variadic = bool(names) and names[-1].endswith("...")
    if variadic:
        names[-1] = names[-1][:-3].strip() or "__VA_ARGS__"
    for i, name in enumerate(names):
        if _IDENTIFIER.fullmatch(name) is None:
            raise MacroError("invalid token in macro parameter list" if name else "expected identifier in macro parameter list")
        if name in names[:i]:
            raise MacroError(f"duplicate macro parameter name '{name}'")
    return names, variadic


def _object_like(tokens: list[str]) -> list[Item]:
    """A replacement without parameters; white space around ## goes."""
    return _with_pastes([(token if token not in _DOUBLE_HASH else _PASTE) for token in tokens])


def _function_like(tokens: list[str], params: list[str], variadic: bool = False) -> list[Item]:
    items: list[Item] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token in _HASH:
            i += 2 if tokens[i + 1 : i + 2] == [" "] else 1
            if i >= len(tokens) or tokens[i] not in params:
                raise MacroError("'#' is not followed by a macro parameter")
            items.append((_STRING, params.index(tokens[i])))
        elif token in _DOUBLE_HASH:
            items.append(_PASTE)
        elif token in params:
            items.append((_EXPANDED, params.index(token)))
        elif token == _OPTIONAL and variadic:
            start, i = _in_parentheses(tokens, i + 1)
            inner = _function_like(_trim(tokens[start:i]), params)
            items += [(_OPTIONAL, len(inner)), *inner]
        else:
            items.append(token)
        i += 1
    return _with_pastes(items)


# '__VA_OPT__' '(' token* ')'
def _in_parentheses(tokens: list[str], start: int) -> tuple[int, int]:
    """From where to where the tokens in the next parentheses stand."""
    start += tokens[start : start + 1] == [" "]
    if tokens[start : start + 1] != ["("]:
        raise MacroError(f"missing '(' following {_OPTIONAL}")
    depth = 0
    for i in range(start, len(tokens)):
        if tokens[i] == _OPTIONAL:
            raise MacroError(f"{_OPTIONAL} cannot be nested within its own replacement tokens")
        depth += (tokens[i] == "(") - (tokens[i] == ")")
        if not depth:
            return start + 1, i
    raise MacroError(f"unterminated {_OPTIONAL} argument list")


def _with_pastes(items: list[Item]) -> list[Item]:
    """Drop white space beside each ##, and mark the parameters beside it as unexpanded."""
    if _PASTE not in items:
        return items
    kept: list[Item] = []
    for item in items:
        if item == " " and kept and kept[-1] == _PASTE:
            continue
        if item == _PASTE and kept and kept[-1] == " ":
            kept.pop()
        kept.append(item)
    if kept[0] == _PASTE or kept[-1] == _PASTE:
        where = "start" if kept[0] == _PASTE else "end"
        raise MacroError(f"'##' cannot appear at {where} of macro expansion")
    for i, item in enumerate(kept):
        beside = kept[i - 1] == _PASTE if i else False
        if isinstance(item, tuple) and item[0] == _EXPANDED and (beside or kept[i + 1 : i + 2] == [_PASTE]):
            kept[i] = (_RAW, item[1])
    return kept


class Expander:
    """Expands token lists by the macros in `macros`; `complain` takes the user's mistakes that expansion meets.

    `limit` is how many tokens replacements may still put in: macros that name each other twice double what they make each time.
    """

    def __init__(self, macros: dict[str, Macro], complain: Callable[[str], None]):
        self.macros = macros
        self.complain = complain
        self.limit = EXPANSION_LIMIT
        self.in_condition = False  # in #if, the operand of `defined` stays as it is, also one out of a macro

    def charge(self, tokens: int) -> None:
        self.limit -= tokens
        if self.limit < 0:
            raise ExpansionLimit

    def expand(self, tokens: list[str], source: Source | None = None) -> list[str]:
        """`tokens` fully expanded. `source` continues an invocation that they begin and do not end."""
        macros = self.macros
        if not self.in_condition and macros.keys().isdisjoint(tokens):
            return tokens
        stack: list[str | Macro] = tokens[::-1]  # type: ignore[assignment]
        out: list[str] = []
        while stack:
            token = stack.pop()
            if type(token) is Macro:
                token.disabled = False
                continue
            macro = macros.get(token)
            if macro is None:
                out.append(token)
                if token == "defined" and self.in_condition:
                    _copy_operand(stack, out)
            elif macro.disabled:
                out.append(PAINT + token)
            else:
                replacement = self._replacement(macro, stack, source)
                if replacement is None:
                    out.append(token)
                else:
                    self.charge(len(replacement) + 1)
                    if macros.keys().isdisjoint(replacement) and not self.in_condition:
                        out += replacement
                        continue
                    macro.disabled = True
                    stack.append(macro)
                    stack += replacement[::-1]
        return out

    def _replacement(self, macro: Macro, stack: list[str | Macro], source: Source | None) -> list[str] | None:
        """What stands for this use of the macro; None where a function-like one is only named."""
        args: list[list[str]] = []
        if macro.params is not None:
            if not _take_opening(stack, source):
                return None
            found = self._arguments(macro, stack, source)
            if found is None:
                return []
            args = found
        if macro.dynamic is not None:
            return macro.dynamic(args)
        if macro.unread is not None:
            macro.read(macro.unread)
        if macro.simple:
            return macro.body  # type: ignore[return-value]
        return self._substitute(macro, args)

    # arguments: (token* (',' token*)*) ')'
    def _arguments(self, macro: Macro, stack: list[str | Macro], source: Source | None) -> list[list[str]] | None:
        """The arguments up to the closing parenthesis, white space at their ends removed."""
        macros, params = self.macros, macro.params or []
        last = len(params) - 1 if macro.variadic else -1
        args: list[list[str]] = []
        arg: list[str] = []
        depth = 0
        while True:
            token: str | Macro | None = stack.pop() if stack else source.take() if source else None
            if token is None:
                self.complain(f"unterminated function-like macro invocation of '{macro.name}'")
                return None
            if type(token) is Macro:
                token.disabled = False
                continue
            if token == "(":
                depth += 1
            elif token == ")":
                if not depth:
                    break
                depth -= 1
            elif token == "," and not depth and len(args) != last:
                args.append(_trim(arg))
                arg = []
                continue
            elif token in macros and macros[token].disabled:
                token = PAINT + token
            arg.append(token)
        args.append(_trim(arg))
        return self._checked(macro, params, args)

    def _checked(self, macro: Macro, params: list[str], args: list[list[str]]) -> list[list[str]] | None:
        if not params and args == [[]]:
            return []
        if macro.variadic and (len(args) == len(params) - 1 or args == [[]]):
            return [*args[: len(params) - 1], _OMITTED]
        if len(args) == len(params):
            return args
        amount = "few" if len(args) < len(params) else "many"
        self.complain(f"too {amount} arguments provided to function-like macro invocation of '{macro.name}'")
        return None

    def _substitute(self, macro: Macro, args: list[list[str]]) -> list[str]:
        out: list[str] = []
        expanded: dict[int, list[str]] = {}
        if macro.pieces is not None:
            for piece in macro.pieces:
                if isinstance(piece, list):
                    out += piece
                    continue
                if piece not in expanded:
                    expanded[piece] = self.expand(args[piece])
                out += expanded[piece]
            self.charge(len(out))
            return out
        pasting = False
        for item in self._with_options(macro, args, expanded) if macro.optional else macro.body:
            if isinstance(item, str):
                if not pasting:
                    out.append(item)
                    continue
                tokens = [item]
            elif item is _PASTE:
                pasting = True
                continue
            else:
                action, index = item
                if action is _EXPANDED:
                    if index not in expanded:
                        expanded[index] = self.expand(args[index])
                    tokens = expanded[index]
                elif action is _STRING:
                    tokens = [stringify(args[index])]
                    self.charge(len(tokens[0]) // CHARACTERS_OF_A_TOKEN)
                elif pasting and out and out[-1] == "," and macro.variadic and index == len(args) - 1:
                    # GNU: `, ## __VA_ARGS__` pastes nothing, and drops the comma where there are no arguments.
                    pasting = False
                    tokens = args[index]
                    if tokens is _OMITTED:
                        out.pop()
                else:
                    tokens = args[index] or [""]  # "" is the placemarker of C99 6.10.3.3
            if pasting:
                pasting = False
                out[-1:] = self._paste(out[-1], tokens[0])
                out += tokens[1:]
            else:
                out += tokens
        self.charge(len(out))
        return [token for token in out if token]

    def _with_options(self, macro: Macro, args: list[list[str]], expanded: dict[int, list[str]]) -> list[Item]:
        """The body with what __VA_OPT__ holds where there are variable arguments, and a placemarker where there are none (C23 6.10.5.1)."""
        last = len(args) - 1
        expanded[last] = self.expand(args[last])
        given = any(token != " " for token in expanded[last])
        items: list[Item] = []
        skipped = 0
        for item in macro.body:
            if isinstance(item, tuple) and item[0] == _OPTIONAL:
                skipped = 0 if given else item[1]
                items += [] if given and item[1] else [""]
            elif skipped:
                skipped -= 1
            else:
                items.append(item)
        return _with_pastes(items)

    def _paste(self, left: str, right: str) -> list[str]:
        left, right = left.lstrip(PAINT), right.lstrip(PAINT)
        self.charge(len(left + right) // CHARACTERS_OF_A_TOKEN)
        if not left or not right or _is_token(left + right):
            return [left + right]
        self.complain(f"pasting formed '{left}{right}', an invalid preprocessing token")
        return [left, right]


def _take_opening(stack: list[str | Macro], source: Source | None) -> bool:
    """Take '(' if it comes next. The ends of replacements on the way to it are passed, as gcc does."""
    spaced = False
    while stack and (stack[-1] == " " or isinstance(stack[-1], Macro)):
        top = stack.pop()
        if isinstance(top, Macro):
            top.disabled = False
        else:
            spaced = True
    if not stack:
        return source is not None and source.opens()
    if stack[-1] == "(":
        stack.pop()
        return True
    if spaced:
        stack.append(" ")
    return False


def _copy_operand(stack: list[str | Macro], out: list[str]) -> None:
    """Copy the operand of `defined`: a name, or a name in parentheses."""
    wanted = 1
    while stack and wanted:
        token = stack.pop()
        if isinstance(token, Macro):
            token.disabled = False
            continue
        out.append(token)
        if token == "(":
            wanted = 2
        elif token != " ":
            wanted -= 1


def _trim(tokens: list[str]) -> list[str]:
    while tokens and tokens[-1] == " ":
        tokens.pop()
    start = 0
    while start < len(tokens) and tokens[start] == " ":
        start += 1
    return tokens[start:] if start else tokens


def stringify(tokens: list[str]) -> str:
    """The # operator: white space as single spaces, quotes and backslashes inside literals escaped."""
    out = []
    for i, token in enumerate(tokens):
        if token == " " and i and tokens[i - 1] == " ":
            continue
        out.append(quote(token)[1:-1] if token[-1] in "\"'" else token)
    return '"' + "".join(out).replace(PAINT, "") + '"'


def quote(text: str) -> str:
    """Text as a string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@lru_cache(maxsize=4096)
def _is_token(text: str) -> bool:
    return _TOKEN.fullmatch(text) is not None or text in ("#", "##")


@lru_cache(maxsize=4096)
def glues(left: str, right: str) -> bool:
    """Whether two tokens printed side by side would be read as something else."""
    match = _TOKEN.match(left + right)
    return (match is not None and match.end() != len(left)) or left + right in ("//", "/*")


def join(tokens: list[str]) -> str:
    """Tokens as text that is read as the same tokens again."""
    out = []
    previous = ""
    for token in tokens:
        if token in ALONE:
            previous = ""
        else:
            if token[0] == PAINT:
                token = token.lstrip(PAINT)
            if previous and glues(previous, token):
                out.append(" ")
            previous = token
        out.append(token)
    return "".join(out)
