"""Analysis: from the tree to the typed intermediate representation, with every rule that makes a program invalid.

    scope          names, tags, the unit all parts share        declarations   specifiers, declarators, records, enums
    expressions    names, members             assignments    = op= ++ --, and what C++ changes otherwise
    operators      arithmetic, comparison, shifts, pointers
    vectors        literals, components, selection
    calls          functions and built-ins     overloads        ranking of candidates
    conversions    implicit and explicit ones  initialisers     braces, designators
    constants      what may initialise static storage           statements     control flow, local declarations
    static_initialisers  such that C++ computes it              static_values  what it is worth
    enumerations   their types and their constants'
    extensions     GNU's and clang's           gnu_builtins     their __builtin functions
    elementwise    clang's functions of that   sync_builtins    GNU's atomic functions
    blocks         literals, captures          cases            a switch's labels
    immediates     operands of inline assembly
    attributes     of functions                pragmas          extensions, contraction
    restrictions   which types may be declared, loaded and passed where

This file owns the translation unit: file-scope declarations, functions, and what follows from the call graph.
"""

from __future__ import annotations

from pycparser import c_ast

from ....builtins import table
from ...diagnostics import NESTING, Diagnostics
from ...ir import nodes as ir
from ...ir.names import cxx_name
from ...ir.types import Array, BlockType, FunctionType, Pointer, Record, Type, Void, size_of, without_spaces
from ...ir.walk import expressions_of, recursive
from ...options import BuildOptions
from ..dialect import Dialect
from ..parse import tree
from ..preprocess.preprocess import SourceMap
from . import attributes, immediates
from .blocks import Blocks
from .constants import constant_initialiser, constant_of
from .conversions import Conversions
from .declarations import Declarations
from .expressions import Expressions
from .extensions import Extensions
from .initialisers import Initialisers
from .pragmas import Pragmas
from .restrictions import Restrictions, opaque_kind
from .scope import Invalid, Unit
from .statements import Statements


def analyse(root: c_ast.FileAST, pre: SourceMap, options: BuildOptions, dialect: Dialect, diagnostics: Diagnostics, *,
            whole: bool = True) -> ir.Program:
    """The program's representation, for which the tree is taken apart. Errors are in `diagnostics`; the result is only whole when there
    are none. A program that is not `whole` may use what another one defines."""
    unit = Unit(pre, options, dialect, diagnostics)
    unit.declarations, unit.conversions, unit.expressions = Declarations(unit), Conversions(unit), Expressions(unit)
    unit.initialisers, unit.statements, unit.pragmas = Initialisers(unit), Statements(unit), Pragmas(unit)
    unit.extensions, unit.restrictions, unit.blocks = Extensions(unit), Restrictions(unit), Blocks(unit)
    unit.program = ProgramScope(unit)
    try:
        return _analysed(root, unit, whole)
    finally:
        unit.close()


def _analysed(root: c_ast.FileAST, unit: Unit, whole: bool) -> ir.Program:
    program, options = unit.program, unit.options
    program.defined = frozenset(node.decl.name for node in root.ext if isinstance(node, c_ast.FuncDef))
    # What has been analysed goes at once: the nodes that are made next lie in its memory, which the processor has at hand.
    nodes, root.ext = root.ext[::-1], []
    while nodes:
        node = nodes.pop()
        try:
            program.external(node)
        except Invalid:
            unit.pending_items.clear()
            unit.blocks.settle()
            unit.scope, unit.function = unit.program_scope, None
        except RecursionError:
            unit.error(node.coord, NESTING)
            break
    program.check_complete()
    program.check_recursion()
    if not unit.diagnostics.errors:
        immediates.resolve(unit.extensions.with_immediates, unit.functions, whole)
    imports = program.find_imports()
    if whole:
        program.refuse(imports)
    if not unit.diagnostics.errors:
        unit.restrictions.report_missing()
    return ir.Program(unit.items, unit.functions, unit.declared, unit.objects, unit.pragmas.contract, imports,
                      options.zero_local, options.zero_private)


class ProgramScope:
    """`defined` are the names of the functions that the program defines somewhere."""

    def __init__(self, unit: Unit):
        self.unit = unit
        self.defined: frozenset[str] = frozenset()
        self.incomplete: list[ir.VariableItem] = []  # variables of structs that are not defined yet (C99 6.9.2)

    def external(self, node: c_ast.Node) -> None:
        """external-declaration (C99 6.9)."""
        unit = self.unit
        if isinstance(node, c_ast.FuncDef):
            self._function(node)
        elif isinstance(node, c_ast.Typedef):
            self._add(unit.declarations.typedef(node))
        elif isinstance(node, c_ast.Decl):
            self._declaration(node)
        elif isinstance(node, c_ast.StaticAssert):
            unit.extensions.static_assert(node)
        elif isinstance(node, tree.Asm):
            unit.extensions.asm(node)
        elif isinstance(node, c_ast.Pragma):
            unit.pragmas.apply(node)
        elif not isinstance(node, c_ast.EmptyStatement):
            raise unit.fail(node.coord, f"'{type(node).__name__}' at program scope is not supported yet by cl2cuda")

    def _add(self, items: list[ir.Item]) -> None:
        self.unit.declarations.name_records(items)
        self.unit.items += items
        if self.incomplete and items:
            for each in [each for each in self.incomplete if not _is_incomplete(each.variable.type)]:
                self.incomplete.remove(each)
                self._move_to_the_end(each)

    # -- variables ---------------------------------------------------------------------------------------------------

    def _declaration(self, node: c_ast.Decl) -> None:
        unit = self.unit
        unit.extensions.infer(node)
        if isinstance(node.type, c_ast.FuncDecl):
            unit.restrictions.check_storage_class(node.storage, node.coord)
            self.declare_function(node)
            return
        if "kernel" in node.funcspec:
            raise unit.fail(node.coord, "the 'kernel' qualifier only applies to functions")
        q = unit.declarations.qualified(node.type)
        self._add(unit.declarations.take_items())
        if node.name is None:
            return
        if "kernel" in node.funcspec:
            raise unit.fail(node.coord, "'kernel' can only be applied to a function")
        unit.restrictions.check_storage_class(node.storage, node.coord)
        if isinstance(q.type, FunctionType):
            self.declare_function(node)
            return
        if isinstance(q.type, BlockType):
            self._block(node, q.type)
            return
        attributes.check_variable(unit, node)
        sampler = opaque_kind(q.type) == "sampler"
        space = q.space or ("constant" if sampler and q.const else "global" if unit.dialect.program_scope_globals else "")
        unit.restrictions.check_variable(q, space, node.coord, program_scope=True)
        allowed = ("global", "constant") if unit.dialect.program_scope_globals else ("constant",)
        if space not in allowed:
            unit.error(node.coord, f"program scope variable must reside in {' or '.join(allowed)} address space")
        variable = ir.Variable(node.name, q.type, space, node.coord, q.const or space == "constant", q.volatile,  # type: ignore[arg-type]
                               "static" in node.storage, "extern" in node.storage, "program",
                               unit.declarations.alignment(node) or q.object_alignment)
        item = self._declared_before(variable) or ir.VariableItem(variable, None, node.coord)
        if item.variable is variable:
            unit.new_variable(variable)
            unit.items.append(item)
            if _is_incomplete(variable.type) and not variable.extern:
                self.incomplete.append(item)
        if node.init is not None:
            self._define(item, variable, node)
            types = unit.declarations.take_items()  # which the initialiser defines
            unit.declarations.name_records(types)
            place = unit.items.index(item)
            unit.items[place:place] = types
        elif space == "constant" and not variable.extern:
            raise unit.fail(node.coord, "variable in constant address space must be initialized")
        item.variable.extern = item.variable.extern and variable.extern and node.init is None

    def _block(self, node: c_ast.Decl, type: BlockType) -> None:
        """A block variable of the program: a function, called as one."""
        unit, name = self.unit, node.name
        if name in unit.program_scope.names:
            raise unit.fail(node.coord, f"redefinition of '{name}'")
        function = unit.blocks.at_program_scope(node, type)
        function.cxx_name = cxx_name(name)
        unit.declared.add(name)
        unit.objects.add(name)
        unit.program_scope.names[name] = [function]
        unit.functions.append(function)
        unit.items.append(ir.FunctionItem(function, node.coord, True))

    def _declared_before(self, variable: ir.Variable) -> ir.VariableItem | None:
        """The item of an earlier declaration of the same variable: tentative definitions (C99 6.9.2) and `extern`."""
        unit = self.unit
        previous = unit.program_scope.names.get(variable.name)
        if previous is None:
            return None
        if not isinstance(previous, ir.Variable):
            raise unit.fail(variable.pos, f"redefinition of '{variable.name}' as different kind of symbol")
        note = unit.note(previous.pos, "previous declaration is here")
        old, new = previous.type, variable.type
        if isinstance(old, Array) and isinstance(new, Array) and old.element == new.element and None in (old.length, new.length):
            previous.type = new if old.length is None else old
        elif old != new or previous.space != variable.space:
            raise unit.fail(variable.pos, f"redefinition of '{variable.name}' with a different type: '{new}' vs '{old}'", note)
        return next(item for item in unit.items if isinstance(item, ir.VariableItem) and item.variable is previous)

    def _define(self, item: ir.VariableItem, variable: ir.Variable, node: c_ast.Decl) -> None:
        unit = self.unit
        if item.init is not None:
            note = unit.note(item.variable.pos, "previous definition is here")
            raise unit.fail(node.coord, f"redefinition of '{variable.name}'", note)
        item.variable.type, init = unit.initialisers.analyse(node.init, item.variable.type)
        item.init = constant_initialiser(unit, item.variable, init)
        item.variable.value = constant_of(item.variable, item.init)
        if item.variable is not variable and any(isinstance(e, ir.Name) for e in expressions_of(item.init)):
            # What the initialiser names may be declared only now.
            self._move_to_the_end(item)

    def _move_to_the_end(self, item: ir.VariableItem) -> None:
        """What names the variable comes after it; a function leaves its prototype. Variables that it names itself stay where they are:
        CUDA has none that begin with each other's addresses."""
        items, own, named = self.unit.items, _variables(item), {item.variable}
        moved: list[ir.Item] = [item]
        place = items.index(item)
        for number, each in enumerate(items[place + 1 :], place + 1):
            if isinstance(each, ir.VariableItem) and each.variable not in own and not named.isdisjoint(_variables(each)):
                moved.append(each)
                named.add(each.variable)
            elif isinstance(each, ir.FunctionItem) and each.defined and not named.isdisjoint(each.function.variables):
                moved.append(each)
                items[number] = ir.FunctionItem(each.function, each.pos, False, tuple(each.function.parameters))
        self.unit.items = [each for each in items if each not in moved] + moved

    def declare_variable(self, node: c_ast.Decl) -> None:
        """`extern` inside a function (C99 6.2.2)."""
        unit = self.unit
        inner, unit.scope = unit.scope, unit.program_scope
        try:
            if not isinstance(unit.scope.names.get(node.name), ir.Variable):
                self._declaration(node)
        finally:
            unit.scope = inner
        unit.scope.names[node.name] = unit.program_scope.names[node.name]

    # -- functions ---------------------------------------------------------------------------------------------------

    def declare_function(self, node: c_ast.Decl) -> None:
        """A prototype, at program scope or inside a function; one of a built-in function means that function."""
        if node.init is not None:
            raise self.unit.fail(node.coord, "illegal initializer (only variables can be initialized)")
        if node.name not in self.defined and table.overloads(node.name):
            return
        known = self.unit.function is not None and node.name in self.unit.program_scope.names
        function, parameters = self._declare_function(node)
        if not known:
            self.unit.items.append(ir.FunctionItem(function, node.coord, False, tuple(parameters)))

    def _declare_function(self, decl: c_ast.Decl) -> tuple[ir.Function, list[ir.Variable]]:
        """The function, and its parameters as this declaration of it names them."""
        unit = self.unit
        result, parameters, variadic = self._signature(decl)
        self._add(unit.declarations.take_items())
        function = ir.Function(decl.name, result, parameters, decl.coord, "kernel" in decl.funcspec, variadic)
        function.internal = "static" in decl.storage or ("inline" in decl.funcspec and "extern" not in decl.storage)
        attributes.apply(unit, function, decl)
        existing = unit.program_scope.names.get(decl.name)
        if existing is not None and not isinstance(existing, list):
            raise unit.fail(decl.coord, f"redefinition of '{decl.name}' as different kind of symbol")
        for other in existing or ():
            if [p.type for p in other.parameters] == [p.type for p in parameters]:
                if other.result != function.result:
                    note = unit.note(other.pos, "previous declaration is here")
                    raise unit.fail(decl.coord, f"conflicting types for '{decl.name}'", note)
                other.kernel = other.kernel or function.kernel
                other.internal = other.internal or function.internal
                other.attributes = {**other.attributes, **function.attributes}
                return other, parameters
        if existing and not (function.overloaded and all(f.overloaded for f in existing)):
            raise unit.fail(decl.coord, f"conflicting types for '{decl.name}'", unit.note(existing[0].pos, "previous declaration is here"))
        function.cxx_name = self._overload_name(function, existing or [])
        unit.declared.add(decl.name)
        unit.objects.add(decl.name)
        unit.program_scope.names[decl.name] = [*(existing or ()), function]
        return function, parameters

    def _signature(self, decl: c_ast.Decl) -> tuple[Type, list[ir.Variable], bool]:
        """The result, the parameters, and whether more may follow."""
        unit = self.unit
        if not isinstance(decl.type, c_ast.FuncDecl):
            type = unit.declarations.qualified(decl.type).type  # by the name of a typedef, which has checked it
            assert isinstance(type, FunctionType)
            unnamed = [ir.Variable("", each, "private", decl.coord, scope="parameter") for each in type.parameters]
            return type.result, unnamed, type.variadic
        result = unit.declarations.qualified(decl.type.type)
        if isinstance(result.type, (BlockType, Array, FunctionType)):
            raise unit.fail(decl.coord, f"declaring function return value of type '{result.type}' is not allowed")
        unit.restrictions.check_result(result, decl.coord)
        return result.type, *unit.declarations.parameters(decl.type)

    def _overload_name(self, function: ir.Function, others: list[ir.Function]) -> str:
        """C++ knows no address spaces: functions that differ by nothing else get names of their own."""
        name = cxx_name(function.name)
        own = cxx_signature(function)
        same = [f for f in others if cxx_signature(f) == own]
        if same:
            name = "_".join([name, *(p.type.space for p in function.parameters if isinstance(p.type, Pointer))])
        while any(f.cxx_name == name for f in same):
            name += "_"
        return name

    def _function(self, node: c_ast.FuncDef) -> None:
        unit = self.unit
        function, parameters = self._declare_function(node.decl)
        if function.body is not None:
            raise unit.fail(node.decl.coord, f"redefinition of '{function.name}'", unit.note(function.pos, "previous definition is here"))
        function.parameters = parameters  # the definition's own names count
        function.pos = node.decl.coord
        unit.restrictions.check_storage_class(node.decl.storage, function.pos)
        if function.name == "main":
            unit.error(function.pos, "a function cannot be called 'main' in OpenCL")  # 6.11.u
        if function.kernel:
            self._check_kernel(function, node.decl)
        unit.function = function
        unit.functions.append(function)
        unit.open_scope()
        for parameter in function.parameters:
            if parameter.name:
                if parameter.name in unit.scope.names:
                    unit.error(parameter.pos, f"redefinition of parameter '{parameter.name}'")
                unit.new_variable(parameter)
        function.body = unit.statements.block(node.body, scoped=False)
        unit.statements.check_labels(function)
        unit.close_scope()
        unit.blocks.settle()
        unit.function = None
        unit.items.append(ir.FunctionItem(function, node.decl.coord, True))

    def _check_kernel(self, function: ir.Function, decl: c_ast.Decl) -> None:
        """6.9, 6.11: what a kernel may take and return."""
        unit = self.unit
        if not isinstance(function.result, Void):
            raise unit.fail(function.pos, "kernel must have void return type")
        if "static" in decl.storage:
            unit.error(function.pos, "kernel functions cannot be declared static")
        for p in function.parameters:
            unit.restrictions.check_kernel_parameter(p)

    def find_imports(self) -> dict[ir.Symbol, int]:
        """What is used and not defined. A kernel that is called becomes a function that it runs itself, too."""
        unit = self.unit
        found: dict[ir.Symbol, int] = {}
        for item in unit.items:
            function = getattr(item, "function", None)
            if function is None or function.called_at is None or function.body_name:
                continue
            if function.kernel:
                function.body_name = f"{function.cxx_name}_body"
                if sum(size_of(v.type) for v in function.local_variables) > ir.static_local_limit(unit.options.zero_local):
                    much = "local variables that start as zeros" if unit.options.zero_local else "more than 48 KB of local variables"
                    what = f"calling kernel '{function.name}', which declares {much},"
                    unit.error(function.called_at, f"{what} from another function is not supported yet by cl2cuda")
            if function.body is None:
                found[function] = function.called_at
        return found | {variable: pos for variable, pos in unit.extern_uses.items() if variable.extern}

    def refuse(self, imports: dict[ir.Symbol, int]) -> None:
        for symbol, pos in imports.items():
            assert not isinstance(symbol, ir.Enumerator)
            what, why = ("variable", "is only declared 'extern'") if isinstance(symbol, ir.Variable) else (
                "function", "is declared but has no body")
            self.unit.error(pos, f"undefined {what} '{symbol.name}': it {why}", self.unit.note(symbol.pos, "declared here"))

    def check_complete(self) -> None:
        """C99 6.9.2: what a tentative definition defines has a complete type by the end."""
        for each in self.incomplete:
            self.unit.error(each.pos, f"tentative definition has type '{each.variable.type}' that is never completed")

    def check_recursion(self) -> None:
        """6.11.i: recursion is not supported. CUDA has it and programs that ship use it, so it is no error, but for kernels."""
        for callee in recursive(self.unit.functions):
            report = self.unit.error if callee.kernel else self.unit.warning
            report(callee.pos, f"recursion is not supported in OpenCL: '{callee.name}' calls itself")


def _is_incomplete(type: Type) -> bool:
    return isinstance(type, Record) and type.fields is None


def _variables(item: ir.VariableItem) -> set[ir.Symbol]:
    """Those that its initialiser names."""
    return {each.symbol for each in expressions_of(item.init) if isinstance(each, ir.Name)}


def cxx_signature(function: ir.Function) -> list[Type]:
    return [without_spaces(p.type) for p in function.parameters]
