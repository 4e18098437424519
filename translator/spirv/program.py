"""A module as a program of the representation: variables of program scope, functions, kernels."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..ir import nodes as ir
from ..ir.types import Opaque, Pointer, Scalar, Type, align_of
from ..ir.walk import expressions_of
from ..options import BuildOptions
from . import build, placement
from .body import Body
from .constants import Constants
from .enqueue import invoked_by
from .errors import NotOffered
from .grammar import enumerant_name
from .module import EntryPoint, FunctionBody, Module
from .names import Names, identifier, kernel_name
from .packets import Packets
from .reader import Instruction
from .rules import RULES
from .signs import Signs
from .structure import Structure
from .turns import assign_before_tests
from .type_table import TypeTable

_MODES = {"LocalSize": "reqd_work_group_size", "LocalSizeId": "reqd_work_group_size", "LocalSizeHint": "work_group_size_hint",
          "LocalSizeHintId": "work_group_size_hint"}  # fmt: skip
_IGNORED_MODES = frozenset("ContractionOff DenormPreserve SignedZeroInfNanPreserve RoundingModeRTE "
                           "SubgroupsPerWorkgroup SubgroupsPerWorkgroupId Initializer Finalizer".split())
_DONT_INLINE = 0x2  # of FunctionControl
_VEC_TYPES = ("char", "short", "int", "long", "half", "float", "double")


class ProgramScope:
    """whole: it may not use what another module defines."""

    def __init__(self, data: bytes, chosen: Mapping[int, bytes], options: BuildOptions, whole: bool):
        self.options, self.whole = options, whole
        self.module = Module(data)
        self.names = Names()
        self.kernel_names = {entry.name: self.names.new(kernel_name(entry.name)) for entry in self.module.entry_points}
        self.types = TypeTable(self.module, self.names)
        self.constants = Constants(self.module, self.types, chosen)
        self.signs = Signs(self.module)
        self.packets = Packets(self.module, self.constants)
        self.variables: list[ir.VariableItem] = []
        self.local: dict[int, ir.Variable] = {}  # of the Workgroup storage class
        self.builtins: dict[int, str] = {}  # Input variables' BuiltIn
        self.functions: dict[int, ir.Function] = {}
        self.bodies: dict[int, FunctionBody] = {body.id: body for body in self.module.functions}
        self.entries: dict[int, EntryPoint] = {}  # by the function that is the kernel
        self.wrappers: set[int] = set()
        self.imports: dict[ir.Symbol, int] = {}
        self.contract = not self.module.forbids_contraction
        self.by_value: dict[ir.Function, list[bool]] = {}
        self.local_uses: dict[int, list[int]] = {}  # of a function: the kernels' local variables that it, or what it calls, names
        self._local_names: set[str] = set()

    def program(self) -> ir.Program:
        for each in self.module.globals:
            self._global(each)
        self._find_kernels()
        self._find_local_variables()
        for body in self.module.functions:
            if body.id not in self.wrappers:
                self._declare(body)
        order = self._in_order()
        items: list[ir.Item] = []
        for id in order:
            items.append(self._define(self.bodies[id]))
        functions = [item.function for item in items if isinstance(item, ir.FunctionItem)]
        for function in functions:
            if function.kernel and function.called_at is not None:
                function.body_name = self.names.new(f"{function.cxx_name}_body")
        imported: list[ir.Item] = [ir.FunctionItem(f, f.pos, False) for f in self.imports if isinstance(f, ir.Function)]
        prototypes: list[ir.Item] = [ir.FunctionItem(f, f.pos, False) for f in self._early(functions)]
        types = [*self.types.items(), *(ir.RecordItem(record, 0, True) for record in self.packets.records.values())]
        declared = self.names.all() | {variable.name for f in functions for variable in f.parameters} | self._local_names
        objects = declared - {record.name for record in self.types.records}
        every = [*types, *self.variables, *imported, *prototypes, *items]
        return ir.Program(every, functions, declared, objects, self.contract, self.imports, self.options.zero_local,
                          self.options.zero_private, signless=True)

    # -- variables ---------------------------------------------------------------------------------------------------

    def _global(self, each: Instruction) -> None:
        if each.name.startswith("OpType"):
            if each.name not in ("OpTypeFunction", "OpTypeForwardPointer", "OpTypeSampledImage"):
                self.types.type(each.result, each)
            return
        if each.name != "OpVariable":
            if self.module.definition(each.type, each).name == "OpTypeSampledImage":
                raise each.fail("a constant cannot be a sampled image")
            return  # a constant: made when it is used
        type = self.types.type(each.type, each)
        storage = enumerant_name("StorageClass", each.operands[0])
        if not isinstance(type, Pointer):
            raise each.fail("its type is no pointer")
        builtin = self.module.decoration(each.result, "BuiltIn")
        # Modules of OpenCL 2.0 compilers have built-in variables in UniformConstant, as what the environment defines.
        if storage == "Input" and builtin is None:
            raise each.fail("an Input variable is a built-in one, and this has no BuiltIn decoration")
        if builtin is not None and storage in ("Input", "UniformConstant"):
            self.builtins[each.result] = enumerant_name("BuiltIn", builtin[0])
        elif storage == "Workgroup":
            self.local[each.result] = self._variable(each, type)
        elif storage in ("CrossWorkgroup", "UniformConstant", "DeviceOnlyINTEL"):
            self._program_variable(each, type)
        else:
            raise each.fail(f"storage class {storage} is not offered at program scope")

    def _variable(self, each: Instruction, type: Pointer) -> ir.Variable:
        name = self.names.new(identifier(self.module.names.get(each.result, "")) or f"v{each.result}")
        aligned = self.module.decoration(each.result, "Alignment")
        more = aligned[0] if aligned and aligned[0] > align_of(type.pointee) and aligned[0].bit_count() == 1 else None
        return ir.Variable(name, type.pointee, type.space, each.offset, scope="program", aligned=more, cxx_name=name)

    def _program_variable(self, each: Instruction, type: Pointer) -> None:
        variable = self._variable(each, type)
        self.constants.variables[each.result] = variable
        linkage = self.module.decoration(each.result, "LinkageAttributes")
        if linkage is not None:
            variable.name = linkage[0]
        kind = enumerant_name("LinkageType", linkage[-1]) if linkage is not None else ""
        variable.static = not kind
        access = self.module.decoration(each.result, "HostAccessINTEL")
        if access is not None:  # SPV_INTEL_global_variable_host_access: the host knows it by a name of its own
            variable.host_access, variable.static = (bool(access[0] & 1), bool(access[0] & 2), access[1]), False
        if kind == "Import":
            if self.whole:
                raise NotOffered(f"undefined variable '{variable.name}': it has no value in this module", each.offset, repr(each))
            variable.extern = True
            variable.const = type.space == "constant"
            self.imports[variable] = each.offset
            self.variables.append(ir.VariableItem(variable, None, each.offset))
            return
        init = self.constants.initialiser(each.operands[1], each) if len(each.operands) > 1 else None
        if init is None and type.space == "constant":
            init = ir.InitList(variable.type, each.offset, [])
        variable.const = type.space == "constant"
        self.variables.append(ir.VariableItem(variable, init, each.offset))

    def address(self, definition: Instruction, body: Body, by: Instruction) -> ir.Expr:
        """A variable's address, inside a function."""
        id = definition.result
        variable = body.memory.get(id) or self.constants.variables.get(id) or body.local.get(id)
        type = self.types.type(definition.type, definition)
        if variable is None or not isinstance(type, Pointer):
            raise by.fail(f"id {id} is a variable that has no address here")
        if variable.scope == "parameter":
            return ir.Name(type, by.offset, variable)  # a pointer to a kernel's local variable
        return ir.Unary(type, by.offset, "&", ir.Name(variable.type, by.offset, variable))

    # -- functions ---------------------------------------------------------------------------------------------------

    def _calls(self, body: FunctionBody) -> list[int]:
        return [each.operands[0] for block in body.blocks for each in block.body if each.name == "OpFunctionCall"]

    def _find_kernels(self) -> None:
        """An entry point may be no more than a call of the function that has the kernel's body, and that nobody else calls."""
        callers: dict[int, int] = {}
        for body in self.module.functions:
            for callee in self._calls(body):
                callers[callee] = callers.get(callee, 0) + 1
        for entry in self.module.entry_points:
            called = self._only_call(self.bodies[entry.function])
            if self._is_only_enqueued(entry):
                continue
            alone = callers.get(called or 0) == 1 and not callers.get(entry.function) and entry.function not in self.entries
            if called is not None and alone and not any(other.function == called for other in self.module.entry_points):
                self.wrappers.add(entry.function)
                self.entries[called] = entry
                continue
            if entry.function in self.entries:
                raise entry.instruction.fail("two entry points of one function are not offered")
            self.entries[entry.function] = entry

    def _is_only_enqueued(self, entry: EntryPoint) -> bool:
        """What OpEnqueueKernel runs has a pointer to the Generic storage class first, which nobody else can give a kernel; clang has an
        entry point for each."""
        parameters = self.bodies[entry.function].parameters
        first = self.types.type(parameters[0].type, parameters[0]) if parameters else None
        return "DeviceEnqueue" in self.module.capabilities and isinstance(first, Pointer) and first.space == "generic"

    def _only_call(self, body: FunctionBody) -> int | None:
        """The function that is all that this one calls, with its own parameters."""
        if len(body.blocks) != 1 or len(body.blocks[0].body) != 1:
            return None
        call, end = body.blocks[0].body[0], body.blocks[0].terminator
        if call.name != "OpFunctionCall" or end is None or end.name != "OpReturn":
            return None
        target = self.bodies.get(call.operands[0])
        same = call.operands[1:] == [p.result for p in body.parameters]
        return target.id if target is not None and target.blocks and same else None

    def _find_local_variables(self) -> None:
        """Which functions name kernels' local variables, or call those that do: kernels declare them, others are given pointers."""
        uses: dict[int, set[int]] = {}
        for body in self.module.functions:
            named = {id for block in body.blocks for each in [*block.phis, *block.body, block.terminator] if each for id in each.ids}
            uses[body.id] = self._with_constants(named)
        callees = {body.id: self._calls(body) for body in self.module.functions}
        changed = True
        while changed:
            changed = False
            for id, called in callees.items():
                for each in called:
                    more = uses.get(each, set()) - uses[id]
                    if more:
                        uses[id] |= more
                        changed = True
        self.local_uses = {id: [each for each in self.local if each in found] for id, found in uses.items()}

    def _with_constants(self, named: set[int]) -> set[int]:
        """Those of the ids that are local variables, also as parts of constants."""
        found, stack = set(), list(named)
        seen = set(named)
        while stack:
            id = stack.pop()
            if id in self.local:
                found.add(id)
            definition = self.module.defined.get(id)
            if definition is not None and definition.name in ("OpSpecConstantOp", "OpConstantComposite", "OpSpecConstantComposite"):
                more = [each for each in definition.ids if each not in seen]
                seen.update(more)
                stack += more
        return found

    def _declare(self, body: FunctionBody) -> None:
        """The function, with its parameters."""
        head, entry = body.head, self.entries.get(body.id)
        type = self.types.function(head.operands[1], head)
        if len(type.operands) - 1 != len(body.parameters):
            raise head.fail(f"it has {len(body.parameters)} parameters, its type {len(type.operands) - 1}")
        names = Names(self.names)
        shown = self.bodies[entry.function] if entry else body
        result = self.declared_type(self.types.value_type(head.type, head), body.id)
        name = self.names.new(self._function_name(body)) if entry is None else self.kernel_names[entry.name]
        linkage = self.module.decoration(body.id, "LinkageAttributes")
        known = entry.name if entry else linkage[0] if linkage else name
        function = ir.Function(known, result, [], head.offset, kernel=entry is not None, cxx_name=name)
        function.internal = linkage is None and entry is None
        function.noinline = bool(head.operands[0] & _DONT_INLINE) and entry is None
        by_value = []
        for parameter, named, declared in zip(body.parameters, shown.parameters, type.operands[1:], strict=False):
            if parameter.type != declared:
                raise parameter.fail("its type is not the one that the function's type says")
            variable, value = self._parameter(parameter, named, names, function)
            function.parameters.append(variable)
            by_value.append(value)
        self.by_value[function] = by_value
        if entry is not None:
            self._kernel(function, entry)
        else:
            function.lifted = len(self.local_uses[body.id])
            for id in self.local_uses[body.id]:
                function.parameters.append(self._lifted(id, function))
        self.functions[body.id] = function

    def _function_name(self, body: FunctionBody) -> str:
        linkage = self.module.decoration(body.id, "LinkageAttributes")
        given = self.module.names.get(body.id, "") or (linkage[0] if linkage else "")
        return identifier(given) or f"function_{body.id}"

    def _parameter(self, parameter: Instruction, named: Instruction, names: Names, function: ir.Function) -> tuple[ir.Variable, bool]:
        """The parameter, and whether it is a copy of what the module has a pointer to."""
        type = self.types.value_type(parameter.type, parameter)
        attributes = [enumerant_name("FunctionParameterAttribute", each[0])
                      for id in {parameter.result, named.result} for each in self.module.decorations(id, "FuncParamAttr") if each]
        by_value = "ByVal" in attributes and isinstance(type, Pointer) and type.space == "private"
        wanted = self.module.names.get(parameter.result) or self.module.names.get(named.result) or ""
        name = names.new(identifier(wanted) or f"a{len(function.parameters)}")
        if by_value:
            assert isinstance(type, Pointer)
            type = type.pointee
        if isinstance(type, Opaque) and type.packet is not None:
            type = Opaque(type.name, type.access, self.packets.type(parameter.result))
        type = self.declared_type(type, parameter.result)
        if function.kernel:
            self._check_kernel_parameter(type, parameter)
        variable = ir.Variable(name, type, "private", parameter.offset, scope="parameter", cxx_name=name, owner=function.identity)
        variable.restrict = "NoAlias" in attributes or self.module.decoration(parameter.result, "Restrict") is not None
        return variable, by_value

    def declared_type(self, type: Type, id: int) -> Type:
        """How a variable, parameter or result of the type is declared: integers with a sign where its uses say so."""
        if isinstance(type, Scalar) and type.kind == "int" and type.size >= 4 and self.signs.signed(id):
            return build.with_sign(type, True)
        return type

    def _check_kernel_parameter(self, type: Type, parameter: Instruction) -> None:
        if isinstance(type, Pointer) and type.space in ("private", "generic"):
            raise parameter.fail(f"a kernel's parameter points to the {type.space} address space")
        if str(type) == "bool":
            raise parameter.fail("a kernel's parameter cannot be a boolean")

    def _lifted(self, id: int, function: ir.Function) -> ir.Variable:
        local = self.local[id]
        return ir.Variable(local.name, Pointer(local.type, "local"), "private", local.pos, scope="parameter", cxx_name=local.cxx_name,
                           owner=function.identity)

    def _kernel(self, function: ir.Function, entry: EntryPoint) -> None:
        if str(function.result) != "void":
            raise entry.instruction.fail("a kernel has no result")
        modes = self.module.modes(entry.function)
        for name, operands in modes.items():
            if name in _MODES:
                values = operands if not name.endswith("Id") else [self.constants.integer(id, entry.instruction) for id in operands]
                if len(values) != 3 or not all(values) or math.prod(values) > 1 << 20:
                    raise entry.instruction.fail(f"execution mode {name} says {values}")
                function.attributes[_MODES[name]] = tuple(values)
            elif name == "VecTypeHint":
                element, width = operands[0] & 0xFFFF, operands[0] >> 16
                if element < len(_VEC_TYPES):
                    function.attributes["vec_type_hint"] = (f"{_VEC_TYPES[element]}{width if width > 1 else ''}",)
            elif name == "SubgroupSize":
                if operands[0] not in (8, 16, 32):
                    raise NotOffered(f"sub-groups of {operands[0]} work-items are not offered", entry.instruction.offset, "OpExecutionMode")
                function.attributes["intel_reqd_sub_group_size"] = (operands[0],)
            elif name not in _IGNORED_MODES:
                raise NotOffered(f"execution mode {name} is not offered", entry.instruction.offset, "OpExecutionMode")

    def _in_order(self) -> list[int]:
        """The functions with bodies that kernels or others may need, callees first."""
        found: list[int] = []
        state: set[int] = set()
        needed = {body.id: [*self._calls(body), *invoked_by(body)] for body in self.module.functions}
        for root in self.functions:
            stack = [(root, iter(needed[root]))] if root not in state else []
            state.add(root)
            while stack:
                id, callees = stack[-1]
                callee = next((each for each in callees if each not in state and each in self.functions), None)
                if callee is None:
                    stack.pop()
                    if self.bodies[id].blocks:
                        found.append(id)
                else:
                    state.add(callee)
                    stack.append((callee, iter(needed[callee])))
        return found

    def _early(self, functions: list[ir.Function]) -> list[ir.Function]:
        """Those that are called before they are defined, as recursive ones are."""
        defined: set[ir.Function] = set()
        found: list[ir.Function] = []
        for function in functions:
            defined.add(function)
            called = [*function.callees, *(callee for block in function.launches for callee in block.callees)]
            found += [callee for callee in called if callee not in defined and callee not in found]
        return found

    # -- bodies ------------------------------------------------------------------------------------------------------

    def _define(self, source: FunctionBody) -> ir.FunctionItem:
        function = self.functions[source.id]
        names = Names(self.names)
        for parameter in function.parameters:
            names.new(parameter.name)
        body = Body(self, source, function, names, RULES)
        structure = Structure(body.graph, body)
        statements = structure.statements()
        if structure.first_goto is not None:
            function.first_goto = structure.first_goto.pos
            function.labels = {f"block_{id}": source.head.offset for id in structure.gotos}
        else:
            assign_before_tests(statements, body.next_turn)
        loose = placement.declare(statements, body.definitions, structure.first_goto is not None)
        start: list[ir.Statement] = []
        if function.kernel:
            for variable in body.local.values():
                function.local_variables.append(variable)
                start.append(ir.Declare(variable.pos, [(variable, None)]))
        start += [ir.Declare(variable.pos, [(variable, None)]) for variable in loose]
        if statements and isinstance(statements[-1], ir.Return) and statements[-1].value is None:
            statements.pop()
        function.body = ir.Block(source.head.offset, [*start, *statements], source.head.offset)
        self._note_uses(function, statements)
        self._local_names |= names.all()
        return ir.FunctionItem(function, source.head.offset, True)

    def _note_uses(self, function: ir.Function, statements: list[ir.Statement]) -> None:
        for expression in expressions_of(statements):
            if isinstance(expression, ir.Call):
                function.callees.append(expression.function)
                if expression.function.called_at is None:
                    expression.function.called_at = expression.pos
            elif isinstance(expression, ir.Name):
                variable = expression.symbol
                if isinstance(variable, ir.Variable) and variable.scope == "program" and variable.space != "local":
                    function.variables.add(variable)
            elif isinstance(expression, ir.BuiltinCall):
                function.builtins.add(expression.overload.name)
            elif isinstance(expression, ir.Intrinsic):
                function.builtins.add(expression.name)

    def callee(self, id: int, by: Instruction) -> ir.Function:
        function = self.functions.get(id)
        if function is None:
            raise by.fail(f"id {id} is no function that can be called")
        if not self.bodies[id].blocks:
            if self.whole:
                raise NotOffered(f"undefined function '{function.name}': it has no body in this module", by.offset, repr(by))
            self.imports.setdefault(function, by.offset)
        return function
