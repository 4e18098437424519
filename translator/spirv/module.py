"""A module's parts (SPIR-V specification, section 2.4): who defines which id, names, decorations, entry points, functions.

Owns the logical layout and what every id must be for others to be able to look it up; types and values are others' business.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .errors import InvalidModule, NotOffered
from .grammar import enumerant_name, enumerants
from .offered import DECLARED_IN_VAIN, EXTENSIONS, GRAPHICS_HINT, OFFERED_CAPABILITIES
from .reader import LINKAGE_INTERNAL, Header, Instruction, read

TERMINATORS = frozenset("OpBranch OpBranchConditional OpSwitch OpReturn OpReturnValue OpUnreachable OpKill".split())
_SKIPPED = frozenset("OpNop OpLine OpNoLine OpLoopMerge OpSelectionMerge OpModuleProcessed OpSourceContinued OpSourceExtension".split())
# SPV_INTEL_memory_access_aliasing: what accesses do not alias is for an optimizer, which may leave it aside.
_ALIASING = frozenset("OpAliasDomainDeclINTEL OpAliasScopeDeclINTEL OpAliasScopeListDeclINTEL".split())


@dataclass(eq=False)
class Block:
    """A label and what follows it, without merge instructions and lines; `unroll` is what OpLoopMerge asks for."""

    label: Instruction
    phis: list[Instruction] = field(default_factory=list)
    body: list[Instruction] = field(default_factory=list)
    terminator: Instruction | None = None
    unroll: str | None = None

    @property
    def id(self) -> int:
        return self.label.result


@dataclass(eq=False)
class FunctionBody:
    """A function as the module has it: OpFunction, its parameters, its blocks."""

    head: Instruction
    parameters: list[Instruction] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    @property
    def id(self) -> int:
        return self.head.result


@dataclass(frozen=True)
class EntryPoint:
    """OpEntryPoint: a kernel's function, by its id, and its name."""

    function: int
    name: str
    instruction: Instruction


class Module:
    """places are, by an instruction's offset, (file, line) of the OpLine that holds for it."""

    def __init__(self, data: bytes):
        self.header: Header
        self.header, instructions = read(data)
        self.defined: dict[int, Instruction] = {}
        self.capabilities: set[str] = set()
        self.imports: dict[int, str] = {}
        self.strings: dict[int, str] = {}
        self.entry_points: list[EntryPoint] = []
        self.names: dict[int, str] = {}
        self.member_names: dict[tuple[int, int], str] = {}
        self.globals: list[Instruction] = []  # types, constants and variables, in order
        self.functions: list[FunctionBody] = []
        self.places: dict[int, tuple[str, int]] = {}
        self._decorations: dict[int, dict[str, list[list[Any]]]] = {}
        self._member_decorations: dict[tuple[int, int], dict[str, list[list[Any]]]] = {}
        self._modes: dict[int, dict[str, list[Any]]] = {}
        self._memory_model: Instruction | None = None
        self._line: tuple[str, int] | None = None
        self._function: FunctionBody | None = None
        self._block: Block | None = None
        for each in instructions:
            self._take(each)
        if self._function is not None:
            raise self._function.head.fail("the function has no end")
        self._check_whole()

    # -- looking things up -------------------------------------------------------------------------------------------

    def definition(self, id: int, by: Instruction) -> Instruction:
        try:
            return self.defined[id]
        except KeyError:
            raise by.fail(f"id {id} is not defined") from None

    def decoration(self, id: int, name: str) -> list[Any] | None:
        """The decoration's operands, None without it."""
        found = self._decorations.get(id, {}).get(name)
        return found[0] if found else None

    def decorations(self, id: int, name: str) -> list[list[Any]]:
        return self._decorations.get(id, {}).get(name, [])

    def member_decoration(self, id: int, member: int, name: str) -> list[Any] | None:
        found = self._member_decorations.get((id, member), {}).get(name)
        return found[0] if found else None

    @property
    def forbids_contraction(self) -> bool:
        """In some kernel."""
        return any("ContractionOff" in self.modes(entry.function) for entry in self.entry_points)

    def modes(self, function: int) -> dict[str, list[Any]]:
        """The execution modes of an entry point's function, with their operands."""
        return self._modes.get(function, {})

    # -- sections ----------------------------------------------------------------------------------------------------

    def _take(self, each: Instruction) -> None:
        if each.result:
            if each.result in self.defined:
                raise each.fail(f"id {each.result} is defined twice")
            self.defined[each.result] = each
        name, operands = each.name, each.operands
        if name == "OpLine":
            self._line = (self.strings.get(operands[0], ""), operands[1])
            return
        if name == "OpNoLine":
            self._line = None
            return
        if self._function is not None or name == "OpFunction":
            if self._line:
                self.places[each.offset] = self._line
            self._in_function(each)
            return
        handler = _SECTIONS.get(name)
        if handler is not None:
            handler(self, each, operands)
        elif name.startswith(("OpType", "OpConstant", "OpSpecConstant")) or name in ("OpVariable", "OpUndef"):
            self.globals.append(each)
        elif name not in _SKIPPED | _ALIASING and not (name == "OpExtInst" and self.imports.get(operands[0]) != "OpenCL.std"):
            raise each.fail("it cannot stand outside of a function")

    def _capability(self, each: Instruction, operands: list[Any]) -> None:
        if operands[0] in DECLARED_IN_VAIN:
            return
        name = enumerant_name("Capability", operands[0])
        if name not in OFFERED_CAPABILITIES:
            hint = GRAPHICS_HINT if operands[0] not in enumerants("Capability") else ""
            raise NotOffered(f"capability {name} is not offered{hint}", each.offset, each.name)
        self.capabilities.add(name)

    def _extension(self, each: Instruction, operands: list[Any]) -> None:
        if operands[0] not in EXTENSIONS:
            raise NotOffered(f"extension {operands[0]} is not offered", each.offset, each.name)

    def _import(self, each: Instruction, operands: list[Any]) -> None:
        name = operands[0]
        if name != "OpenCL.std" and not name.startswith(("NonSemantic.", "OpenCL.DebugInfo.", "DebugInfo", "SPIRV.debug")):
            raise NotOffered(f"the instruction set {name} is not offered", each.offset, each.name)
        self.imports[each.result] = name

    def _model(self, each: Instruction, operands: list[Any]) -> None:
        addressing = enumerant_name("AddressingModel", operands[0])
        model = enumerant_name("MemoryModel", operands[1])
        if addressing != "Physical64":
            raise NotOffered(f"addressing model {addressing}: the device's addresses have 64 bits, Physical64", each.offset, each.name)
        if model != "OpenCL":
            raise NotOffered(f"memory model {model} is not OpenCL", each.offset, each.name)
        self._memory_model = each

    def _entry_point(self, each: Instruction, operands: list[Any]) -> None:
        if enumerant_name("ExecutionModel", operands[0]) != "Kernel":
            raise NotOffered(f"'{operands[2]}' is no kernel", each.offset, each.name)
        self.entry_points.append(EntryPoint(operands[1], operands[2], each))

    def _mode(self, each: Instruction, operands: list[Any]) -> None:
        self._modes.setdefault(operands[0], {})[enumerant_name("ExecutionMode", operands[1])] = operands[2:]

    def _string(self, each: Instruction, operands: list[Any]) -> None:
        self.strings[each.result] = operands[0]

    def _name(self, each: Instruction, operands: list[Any]) -> None:
        self.names[operands[0]] = operands[1]

    def _member_name(self, each: Instruction, operands: list[Any]) -> None:
        self.member_names[operands[0], operands[1]] = operands[2]

    def _decorate(self, each: Instruction, operands: list[Any]) -> None:
        target, kind, *rest = operands
        if rest[-1:] == [LINKAGE_INTERNAL] and enumerant_name("Decoration", kind) == "LinkageAttributes":
            return
        self._decorations.setdefault(target, {}).setdefault(enumerant_name("Decoration", kind), []).append(rest)

    def _decorate_member(self, each: Instruction, operands: list[Any]) -> None:
        target, member, kind, *rest = operands
        found = self._member_decorations.setdefault((target, member), {})
        found.setdefault(enumerant_name("Decoration", kind), []).append(rest)

    def _decorate_group(self, each: Instruction, operands: list[Any]) -> None:
        group, *targets = operands
        for target in targets:
            for name, lists in self._decorations.get(group, {}).items():
                self._decorations.setdefault(target, {}).setdefault(name, []).extend(lists)

    def _decorate_group_members(self, each: Instruction, operands: list[Any]) -> None:
        group, *pairs = operands
        for target, member in zip(pairs[::2], pairs[1::2], strict=True):
            for name, lists in self._decorations.get(group, {}).items():
                self._member_decorations.setdefault((target, member), {}).setdefault(name, []).extend(lists)

    def _ignore(self, each: Instruction, operands: list[Any]) -> None:
        pass

    # -- functions ---------------------------------------------------------------------------------------------------

    def _in_function(self, each: Instruction) -> None:
        name = each.name
        if name == "OpFunction":
            if self._function is not None:
                raise each.fail("it begins before the function before it has ended")
            self._function, self._block = FunctionBody(each), None
            return
        function = self._function
        assert function is not None
        if name == "OpFunctionEnd":
            if self._block is not None:
                raise each.fail(f"block {self._block.id} has no terminator")
            self.functions.append(function)
            self._function = None
        elif name == "OpFunctionParameter":
            if function.blocks:
                raise each.fail("parameters come before the first block")
            function.parameters.append(each)
        elif name == "OpLabel":
            if self._block is not None:
                raise each.fail(f"block {self._block.id} has no terminator")
            self._block = Block(each)
            function.blocks.append(self._block)
        elif self._block is None:
            if name not in _SKIPPED:
                raise each.fail("it stands outside of a block")
        else:
            self._in_block(self._block, each)

    def _in_block(self, block: Block, each: Instruction) -> None:
        name = each.name
        self._line = None if name in TERMINATORS else self._line  # 3.32: a line ends with its block
        if name in TERMINATORS:
            block.terminator = each
            self._block = None
        elif name == "OpPhi":
            if block.body:
                raise each.fail("it comes after other instructions of its block")
            block.phis.append(each)
        elif name == "OpLoopMerge":
            block.unroll = _unroll(each.operands)
        elif name in _SKIPPED or (name == "OpExtInst" and self.imports.get(each.operands[0]) != "OpenCL.std"):
            if name == "OpExtInst" and each.operands[0] not in self.imports:
                raise each.fail(f"id {each.operands[0]} is no instruction set")
        else:
            block.body.append(each)

    # -- the whole ---------------------------------------------------------------------------------------------------

    def _check_whole(self) -> None:
        if self._memory_model is None:
            raise InvalidModule("the module has no OpMemoryModel")
        by_id = {function.id: function for function in self.functions}
        names: set[str] = set()
        for entry in self.entry_points:
            function = by_id.get(entry.function)
            if function is None or not function.blocks:
                raise entry.instruction.fail(f"id {entry.function} is no function with a body")
            if entry.name in names:
                raise entry.instruction.fail(f"there are two entry points '{entry.name}'")
            names.add(entry.name)


def _unroll(operands: Iterable[int]) -> str | None:
    """What OpLoopMerge's loop control asks for, as #pragma unroll has it."""
    _merge, _continue, control, *parameters = operands
    if control & 0x1:
        return ""
    if control & 0x2:
        return "1"
    if control & 0x100:  # PartialCount: its parameter comes behind those of lower bits
        before = sum(1 for bit in (0x8, 0x10, 0x20, 0x40, 0x80) if control & bit)
        return str(parameters[before]) if before < len(parameters) and parameters[before] else None
    return None


_SECTIONS = {
    "OpCapability": Module._capability, "OpExtension": Module._extension, "OpExtInstImport": Module._import,
    "OpMemoryModel": Module._model, "OpEntryPoint": Module._entry_point, "OpExecutionMode": Module._mode,
    "OpExecutionModeId": Module._mode, "OpString": Module._string, "OpSource": Module._ignore, "OpName": Module._name,
    "OpMemberName": Module._member_name, "OpDecorate": Module._decorate, "OpDecorateId": Module._decorate,
    "OpDecorateString": Module._decorate, "OpMemberDecorate": Module._decorate_member,
    "OpMemberDecorateString": Module._decorate_member, "OpDecorationGroup": Module._ignore,
    "OpGroupDecorate": Module._decorate_group, "OpGroupMemberDecorate": Module._decorate_group_members,
}  # fmt: skip
