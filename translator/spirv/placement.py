"""Where variables are declared: at their first assignment, if everything that names them stands behind it in the same block of
statements or inside that; else at the function's start."""

from __future__ import annotations

from collections.abc import Iterator

from ..ir import nodes as ir
from ..ir.walk import expressions_of
from .structure import inner_statements

# The lists of statements around a place, outermost first, each with the number of the statement in it.
Path = tuple[tuple[int, int], ...]


def declare(statements: list[ir.Statement], definitions: set[ir.Assign], jumps: bool) -> list[ir.Variable]:
    """Turns first assignments into declarations; gives the variables that none declares. `jumps`: gotos may pass statements, so
    that only variables with one assignment are set wherever their first assignment's block is."""
    paths: dict[ir.Variable, Path | None] = {}
    counts: dict[ir.Variable, int] = {}
    first: dict[ir.Variable, ir.Evaluate] = {}
    for path, statement in _walk(statements, ()):
        assign = statement.expression if isinstance(statement, ir.Evaluate) else None
        defines = assign if isinstance(assign, ir.Assign) and assign in definitions else None
        for variable in dict.fromkeys(e.symbol for e in _expressions(statement) if isinstance(e, ir.Name)):
            if not isinstance(variable, ir.Variable) or variable.scope != "function":
                continue
            target = defines is not None and isinstance(defines.target, ir.Name) and defines.target.symbol is variable
            counts[variable] = counts.get(variable, 0) + target
            if variable not in paths:
                reads = target and defines is not None and any(
                    isinstance(e, ir.Name) and e.symbol is variable for e in expressions_of(defines.value))
                paths[variable] = path if target and not reads else None
                if paths[variable] is not None:
                    assert isinstance(statement, ir.Evaluate)
                    first[variable] = statement
            elif (at := paths[variable]) is not None and not _behind(at, path):
                paths[variable] = None
    chosen = {first[variable]: variable for variable, path in paths.items()
              if path is not None and not (jumps and counts[variable] > 1)}
    _replace(statements, chosen)
    placed = set(chosen.values())
    return [variable for variable in paths if variable not in placed]


def _behind(definition: Path, path: Path) -> bool:
    """Whether the path leads to the same list as the definition's, or into it, at or after it."""
    depth = len(definition)
    if len(path) < depth or path[: depth - 1] != definition[: depth - 1]:
        return False
    return path[depth - 1][0] == definition[-1][0] and path[depth - 1][1] >= definition[-1][1]


def _walk(statements: list[ir.Statement], outer: Path) -> Iterator[tuple[Path, ir.Statement]]:
    """Every statement, in the order of the text, with its path. A loop's condition stands where the loop does."""
    stack: list[tuple[Path, ir.Statement]] = [((*outer, (id(statements), n)), s) for n, s in enumerate(statements)][::-1]
    while stack:
        path, statement = stack.pop()
        if not isinstance(statement, ir.DoWhile):
            yield path, statement
        inner: list[tuple[Path, ir.Statement]] = []
        if isinstance(statement, ir.Block):
            inner = [((*path, (id(statement.statements), n)), s) for n, s in enumerate(statement.statements)]
        elif isinstance(statement, ir.Case):
            inner = [((*path, (id(statement.body), n)), s) for n, s in enumerate(statement.body)]
        else:
            inner = [(path, s) for s in inner_statements(statement)]
        if isinstance(statement, ir.DoWhile):
            inner.append((path, ir.Evaluate(statement.pos, statement.condition)))
        stack += inner[::-1]


def _expressions(statement: ir.Statement) -> Iterator[ir.Expr]:
    """The statement's own expressions, without those of the statements in it."""
    parts: list[object] = []
    if isinstance(statement, ir.Evaluate):
        parts = [statement.expression]
    elif isinstance(statement, (ir.If, ir.While)):
        parts = [statement.condition]
    elif isinstance(statement, ir.For):
        parts = [statement.condition, statement.step]
    elif isinstance(statement, (ir.Switch, ir.Return)):
        parts = [statement.value]
    return expressions_of(parts)


def _replace(statements: list[ir.Statement], chosen: dict[ir.Evaluate, ir.Variable]) -> None:
    stack = [statements]
    while stack:
        found = stack.pop()
        for number, each in enumerate(found):
            if isinstance(each, ir.Evaluate) and each in chosen:
                assert isinstance(each.expression, ir.Assign)
                found[number] = ir.Declare(each.pos, [(chosen[each], each.expression.value)])
                continue
            waiting = [each]
            while waiting:
                inner = waiting.pop()
                if isinstance(inner, ir.Block):
                    stack.append(inner.statements)
                elif isinstance(inner, ir.Case):
                    stack.append(inner.body)
                else:
                    waiting += inner_statements(inner)
