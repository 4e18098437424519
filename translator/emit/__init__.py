"""Emission: from the typed intermediate representation to readable CUDA C++, and the metadata of the kernels.

    lines          the output and its map back to the source      types         types and declarators
    expressions    precedence, conversions                        statements    control flow, local declarations
    numbers        literals
    sub_groups     how functions learn how large a sub-group is
    item_loops     kernels as one function for a whole work-group
    blocks         blocks that are enqueued
    hoisted        variables and types that stand before their function
    arguments      kernels' arguments as the host asks for them   emitted       what emission gives
    argument_order  arguments from left to right, where the compiler would choose

This file owns the program: its items in the user's order, functions, kernels and their parameters.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...builtins.concurrency import OF_SIZE, is_collective, observes_groups, uses_device_queues
from ..ir import nodes as ir
from ..ir.alignment import conditions
from ..ir.conditional_sums import conditional_sums
from ..ir.contraction import contractions
from ..ir.kernel_info import KernelInfo, VariableInfo
from ..ir.link import LinkedObject
from ..ir.read_only import is_read_in_place
from ..ir.samplers import samplers_of
from ..ir.source_map import SourceMap
from ..ir.types import Array, Opaque, Pointer, Record, align_of, size_of
from ..ir.walk import reachable, recursive, statements_of
from .argument_order import ArgumentOrder
from .arguments import argument_info, attribute_text, keeps_volatile
from .blocks import arguments_of
from .emitted import Emitted, NestedTooDeeply, Totals
from .expressions import ASSIGN, ExpressionPrinter
from .hoisted import hoisted, holds_pointer, types_declared, types_needed
from .lines import Lines
from .statements import StatementPrinter, type_item, without_const
from .sub_groups import required_size
from .types import TypePrinter

if TYPE_CHECKING:
    from ..ir.item_loops import WorkGroup
    from ..ir.item_loops.waiting import Waiting
    from .item_loops import ItemLoopPrinter

# CUDA's limit on __constant__ memory; larger tables live in global memory.
CONSTANT_LIMIT = 64 * 1024
LOCAL_ALIGN = 128
# Who calls these must be able to tell local memory by its address, which the host device can where it is one piece.
ASK_FOR_SPACE = {"to_global", "to_local", "to_private", "get_fence"}


def emit(program: ir.Program, pre: SourceMap, item_loops: bool = False) -> Emitted:
    """Equal programs give equal text. With `item_loops` kernels with barriers run whole work-groups, where that is possible."""
    printer = ProgramPrinter(program, pre, item_loops=item_loops)
    try:
        return printer.print()
    finally:
        printer.close()


def emit_linked(objects: Sequence[LinkedObject], item_loops: bool = False) -> Emitted:
    """First what all objects declare, then all functions, since objects may use each other's in a circle. Kernels are known
    under their own names outside of the objects' namespaces too."""
    total = Totals(*(each.program for each in objects))
    printers = [ProgramPrinter(each.program, each.pre, total, each, item_loops) for each in objects]
    try:
        return _print_linked(objects, printers, total)
    finally:
        for printer in printers:
            printer.close()


def _print_linked(objects: Sequence[LinkedObject], printers: Sequence[ProgramPrinter], total: Totals) -> Emitted:
    texts: list[str] = []
    places: list[tuple[str, int] | None] = []

    def add(namespace: str, part: tuple[Sequence[str], Sequence[tuple[str, int] | None]]) -> None:
        if any(part[0]):
            texts.extend((f"namespace {namespace} {{", *part[0], "}", ""))
            places.extend((None, *part[1], None, None))

    for each in objects:
        add(each.namespace, ([f"{record.kind} {record.name};" for record in each.announced], [None] * len(each.announced)))
    parts = [printer.print_parts() for printer in printers]
    for each, (declarations, _) in zip(objects, parts, strict=True):
        add(each.namespace, declarations)
    for each, (_, functions) in zip(objects, parts, strict=True):
        add(each.namespace, functions)
    for each, printer in zip(objects, printers, strict=True):
        texts += [f"using {each.namespace}::{kernel.cxx_name};" for kernel in printer.kernels]
    kernels = tuple(kernel for printer in printers for kernel in printer.kernels)
    line_map = (*places, *(None for _ in texts[len(places) :]))
    return Emitted("\n".join(texts) + "\n", line_map, kernels, tuple(sorted(total.uses)), total.global_bytes,
                   tuple(variable for printer in printers for variable in printer.variables),
                   any(recursive(function for printer in printers for function in printer.program.functions)))


class ProgramPrinter:
    def __init__(self, program: ir.Program, pre: SourceMap, total: Totals | None = None, linked: LinkedObject | None = None,
                 item_loops: bool = False):
        self.program, self.pre, self.linked = program, pre, linked
        self.total = total or Totals(program)
        self.uses = self.total.uses
        self.lines = Lines(pre)
        self.types = TypePrinter(self.uses, set(program.objects))
        self.sub_groups = self.total.sub_groups
        self.blocks = self.total.blocks
        order = ArgumentOrder(matters=item_loops)
        self.waiting = self._waiting() if item_loops else None
        self.expressions = ExpressionPrinter(self.types, program.declared, self.sub_groups, self.blocks, order)
        self.expressions.speculates = not item_loops  # processors foresee branches
        self.statements = StatementPrinter(self.lines, self.expressions, program.zero_private, self.waiting)
        self.item_loops = self._item_loops() if item_loops else None
        self.kernels: list[KernelInfo] = []
        self.variables: list[VariableInfo] = []
        self.borrowed: set[Record] = set()  # those of the linked program that have been named
        self.taken = set(program.declared)
        if linked is not None:
            self.expressions.namespace, self.expressions.linked = linked.namespace, True

    def _waiting(self) -> Waiting:
        from ..ir.item_loops.waiting import Waiting  # as below

        return Waiting()

    def _item_loops(self) -> ItemLoopPrinter:
        from .item_loops import ItemLoopPrinter  # which only the host device's programs need

        return ItemLoopPrinter(self.lines, self.statements, self.program.declared)

    def close(self) -> None:
        """Printers hold each other, and tables of their own methods; taken apart, they go at once, with all that they print."""
        vars(self.expressions).clear()
        vars(self.statements).clear()
        if self.item_loops is not None:
            vars(self.item_loops).clear()

    def print(self) -> Emitted:
        self._items(self.program.items)
        return Emitted(self.lines.finish(), self.lines.line_map(), tuple(self.kernels), tuple(sorted(self.uses)), self.total.global_bytes,
                       tuple(self.variables), any(recursive(self.program.functions)))

    def print_parts(self) -> list[tuple[list[str], tuple[tuple[str, int] | None, ...]]]:
        """The lines of an object of a linked program: types, variables and what others call; then functions."""
        assert self.linked is not None
        functions = [item for item in self.program.items if isinstance(item, ir.FunctionItem)]
        self._items([item for item in self.program.items if not isinstance(item, ir.FunctionItem)])
        self._items([ir.FunctionItem(function, function.pos, False) for function in self.linked.wanted])
        end = len(self.lines.texts)
        self._items(functions)
        texts, places = self.lines.finish().split("\n")[:-1], self.lines.line_map()
        start = end + (texts[end : end + 1] == [""])
        return [(texts[:end], places[:end]), (texts[start:], places[start:])]

    def _items(self, items: Sequence[ir.Item]) -> None:
        previous: ir.Item | None = None
        for item in items:
            if previous is None or isinstance(item, (ir.FunctionItem, ir.RecordItem)) or type(item) is not type(previous):
                self.lines.blank()
            else:
                self.lines.blank_like_source(item.pos, previous.pos)
            try:
                self._item(item)
            except RecursionError:
                raise NestedTooDeeply(self.pre, item.pos) from None
            previous = item

    def _item(self, item: ir.Item) -> None:
        if isinstance(item, ir.FunctionItem):
            if item.defined:
                self._function(item.function)
            elif item.function.body is not None and (not item.function.kernel or item.function.body_name):
                self.lines.add(f"{self._head(item.function, item.parameters)};", item.pos)
        elif isinstance(item, ir.VariableItem):
            if not item.variable.extern:
                self._program_variable(item.variable, item.init, item.pos)
        elif isinstance(item, ir.RecordItem) and self.linked is not None and item.record in self.linked.borrowed:
            self._borrow(item.record, item.pos)
        else:
            for line, pos in type_item(item, self.expressions):
                self.lines.add(line, pos)

    def _borrow(self, record: Record, pos: int) -> None:
        """Another object has defined this type already, or will."""
        assert self.linked is not None
        name = self.linked.borrowed[record]
        if record not in self.borrowed:
            self.borrowed.add(record)
            same = name.rpartition("::")[2] == record.name
            self.lines.add(f"using {name};" if same else f"using {record.name} = {name};", pos)

    def _program_variable(self, variable: ir.Variable, init: ir.Expr | None, pos: int | None) -> None:
        """__constant__ for the constant address space while CUDA's 64 KB last; __device__ for the rest."""
        if isinstance(variable.type, Opaque) and variable.type.kind == "sampler" and init is not None:
            # A constant, not an object: its bits choose among textures when the program is compiled.
            declared = self.types.declare(variable.type, variable.cxx_name)
            self.lines.add(f"constexpr {declared} = {self.expressions.value(init, ASSIGN)};", pos)
            return
        size = size_of(variable.type)
        constant = variable.space == "constant" and self.total.constant_bytes + size <= CONSTANT_LIMIT
        if constant:
            self.total.constant_bytes += size
        elif variable.space == "global":
            self.total.global_bytes += size
            if not variable.static and not variable.const:
                reads, writes, name = variable.host_access or (True, True, variable.name)
                self.variables.append(VariableInfo(name, self._qualified(variable), size, reads, writes))
        aligned = f"__attribute__((aligned({variable.aligned}))) " if variable.aligned else ""
        type, const = variable.type, variable.space == "constant" or variable.const
        if holds_pointer(type):
            # CUDA 13 folds a load of a constant pointer into an address that its own assembler refuses.
            type, const = without_const(type), False
        declared = self.types.declare(type, variable.cxx_name, const and not variable.constexpr, variable.volatile)
        if variable.constexpr:
            declared = f"constexpr {declared}"
        if variable.of_addresses:
            declared = self._of_addresses(variable)
        text = f"{'__constant__' if constant else '__device__'} {aligned}{declared}"
        if init is not None:
            self.expressions.at_program_scope, self.expressions.name_text = True, partial(self._name_text, variable)
            value = self.expressions.value(init, ASSIGN)
            text += f" = {{{value}}}" if variable.of_addresses else f" = {value}"
            self.expressions.at_program_scope = False
        elif const:
            text += " = {}"  # which C++ asks for
        self.lines.add(text + ";", pos)

    def _name_text(self, variable: ir.Variable, text: ir.String) -> str:
        """An array of bytes before the variable: NVRTC 13.5 takes no string literal that is cast to a pointer to such for a constant
        unless by way of void, and 13.0 none by way of that."""
        name = f"{variable.cxx_name}_text"
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        self.lines.add(f"__device__ const unsigned char {name}[] = {text.text};", text.pos)
        return name

    def _of_addresses(self, variable: ir.Variable) -> str:
        """C++ makes no integer of an address while it compiles, but initialises a union by the pointer."""
        name = variable.cxx_name.removesuffix(".value")
        variable.cxx_name = f"{name}.value"
        lengths, element = "", variable.type
        while isinstance(element, Array):
            lengths, element = f"{lengths}[{element.length}]", element.element
        value = self.types.declare(without_const(variable.type), "value", False, variable.volatile)
        return f"union {{ const volatile void *address{lengths}; {value}; }} {name}"

    def _qualified(self, variable: ir.Variable) -> str:
        name = variable.cxx_name.removesuffix(".value")
        return name if self.linked is None else f"{self.linked.namespace}::{name}"

    # -- functions ---------------------------------------------------------------------------------------------------

    def _head(self, function: ir.Function, declared: Sequence[ir.Variable] = ()) -> str:
        """`declared`: the parameters of a prototype, which comes before types by whose names the definition calls them."""
        words = "__device__ __noinline__" if function.noinline else "__device__"
        own = [copy.copy(p) for p in function.parameters] if declared else function.parameters
        for parameter, other in zip(own, declared, strict=False):
            parameter.type = other.type if other.type == parameter.type else parameter.type
        parameters = [*map(self._parameter, own), *self.sub_groups.parameter(function)]
        return f"{words} {self.types.declare(function.result, function.body_name or function.cxx_name)}({', '.join(parameters)})"

    def _parameter(self, parameter: ir.Variable) -> str:
        if parameter.immediate:
            return f"auto {parameter.cxx_name}"
        if isinstance(parameter.type, Opaque) and parameter.type.kind == "image":
            return self.types.declare(parameter.type, f"&{parameter.cxx_name}", const=True)  # where the kernel was given it
        return self.types.declare(parameter.type, parameter.cxx_name, parameter.const, keeps_volatile(parameter))

    def _function(self, function: ir.Function) -> None:
        assert function.body is not None
        variables = hoisted(function.body)
        if any(each.nested for each in function.launches):
            self._hoist_types(function, [each.item for each in statements_of(function) if isinstance(each, ir.DeclareType)])
        elif variables and (types := types_declared(function.body)):
            hidden = self.types.hidden
            self.types.hidden = hidden | {each.name for each in types if isinstance(each, ir.TypedefItem)}
            self._hoist_types(function, types_needed(types, variables))
            self._hoist_variables(function, variables)
            variables, self.types.hidden = [], hidden
        self._hoist_variables(function, variables)
        for block in [function] * function.launched + [each for each in function.launches if each.nested]:
            self.blocks.add(block, function)
            self._captures(block)
        self.statements.function = function
        self._function_itself(function)
        for block in function.launches:
            if block.nested:
                self._launched(block)
        if function.launched:
            self._launched(function)

    def _function_itself(self, function: ir.Function) -> None:
        assert function.body is not None
        if not function.kernel:
            self._body(function, self._head(function))
            return
        for number, parameter in enumerate(function.parameters):
            # What a kernel does before its body, and that it calls a body for, needs names.
            parameter.cxx_name = parameter.cxx_name or self.expressions.unused(f"argument_{number}")
        group = self._work_group(function)
        head, start = self._kernel(function, group is not None)
        if group is not None and self.item_loops is not None:
            self.item_loops.print(head, start, function, group)
            return
        if not function.body_name:
            self._body(function, head, start)
            return
        # Other functions call the kernel's body.
        self._body(function, self._head(function))
        self.lines.blank()
        self.lines.add(head + " {")
        self.lines.depth += 1
        arguments = [*(p.cxx_name for p in function.parameters), *self.sub_groups.argument(function)]
        for line in [*start, f"{function.body_name}({', '.join(arguments)});"]:
            self.lines.add(line)
        self.lines.depth -= 1
        self.lines.add("}")

    def _work_group(self, kernel: ir.Function) -> WorkGroup | None:
        """The kernel as one function for a whole work-group, where the program is for a device that wants that."""
        if self.item_loops is None or kernel.body_name or self.program.zero_private:
            return None
        if not any(is_collective(name) for each in reachable(kernel) for name in each.builtins):
            return None
        if self._waits(kernel):
            return None
        from ..ir.item_loops import NotSplit, work_group  # as above

        try:
            return work_group(kernel)
        except NotSplit:
            return None

    def _waits(self, kernel: ir.Function) -> bool:
        return self.waiting is not None and self.waiting.waits(kernel)

    def _body(self, function: ir.Function, head: str, start: Sequence[str] = ()) -> None:
        self.lines.add(head + " {", function.pos)
        self.lines.depth += 1
        for line in start:
            self.lines.add(line)
        body_start = len(self.lines.texts)
        self.expressions.parameters = function.parameters
        self.expressions.aligned = conditions(function)
        self.expressions.contracted = contractions(function) if self.program.fp_contract else {}
        self.statements.replaced = conditional_sums(function) if self.expressions.speculates else {}
        self.statements.function_body(function)
        self.lines.insert(body_start, ["    " + line for line in self.statements.temporaries(function)])
        self.lines.depth -= 1
        self.lines.add("}")

    # -- what stands before its function -----------------------------------------------------------------------------

    def _hoist_variables(self, function: ir.Function, variables: Sequence[tuple[ir.Variable, ir.Expr | None]]) -> None:
        """CUDA keeps constants at program scope."""
        for variable, init in variables:
            variable.cxx_name = self._own_name(function, variable.name)
            self._program_variable(variable, init, variable.pos)
            self.lines.blank()

    def _hoist_types(self, function: ir.Function, items: Sequence[ir.Item]) -> None:
        """Types that are declared in a function stand before it, under names of their own, where a variable of it that does so needs them,
        or a block of it becomes a function, too."""
        renamed: set[Record] = set()
        for item in items:
            self.statements.hoisted.add(item)
            if isinstance(item, ir.TypedefItem):
                self.types.hidden.add(item.name)  # it is printed as what it stands for
                continue
            if isinstance(item, ir.RecordItem):
                if item.record not in renamed:
                    item.record.name, item.record.alias = self._own_name(function, item.record.name), None
                    renamed.add(item.record)
            elif isinstance(item, ir.EnumItem):
                item.tag = item.tag and self._own_name(function, item.tag)
                for each in item.enumerators:
                    each.cxx_name = self._own_name(function, each.name)
            for line, pos in type_item(item, self.expressions):
                self.lines.add(line, pos)
            self.lines.blank()

    def _own_name(self, function: ir.Function, name: str) -> str:
        """For what a function declares and the output has at program scope."""
        name = f"{function.cxx_name}_{name}"
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    # -- blocks that are enqueued ------------------------------------------------------------------------------------

    def _captures(self, block: ir.Function) -> None:
        """The struct of what a block captures."""
        self.types.use("item", "enqueued_block")
        head = f"struct {self.blocks.struct(block)} : ocl::enqueued_block<{self.blocks.number(block)}>"
        self.lines.add(head + " {" + "};" * (not block.captures), block.pos)
        for variable in block.captures:
            self.lines.add(f"    {self.types.declare(without_const(variable.type), variable.cxx_name)};")
        if block.captures:
            self.lines.add("};")
        if block.called and block.nested:
            self.lines.add(f"{self._block_head(block)};")
        self.lines.blank()

    def _block_head(self, block: ir.Function) -> str:
        own = f"const {self.blocks.struct(block)} &{self.expressions.unused('captures')}"
        parameters = [own, *map(self._parameter, block.parameters), *self.sub_groups.parameter(block)]
        return f"__device__ void {self.blocks.name(block)}({', '.join(parameters)})"

    def _launched(self, block: ir.Function) -> None:
        """The function that a block is, if it has none yet, and the kernel that runs it."""
        name, struct = self.blocks.name(block), self.blocks.struct(block)
        self.lines.blank()
        captures = self.expressions.unused("captures")
        if block.nested:
            start = [line for v in block.captures for line in self._unpacked(v, f"{captures}.{v.cxx_name}")]
            self.statements.function = block
            self._body(block, self._block_head(block), start)
            self.lines.blank()
        builtins = {builtin for each in reachable(block) for builtin in each.builtins}
        enqueues = any(map(uses_device_queues, builtins))
        offsets = [f"unsigned int {self.expressions.unused(f'offset{index}')}" for index in range(len(block.parameters))]
        parameters = [f"const __grid_constant__ {struct} {captures}", *offsets, *self._launch_parameter(enqueues)]
        arguments = [captures] if block.nested else []
        for parameter, offset in zip(block.parameters, offsets, strict=True):
            self.types.use("local_memory")
            arguments.append(f"{self.types.cast(parameter.type)}(local_memory + {offset.rpartition(' ')[2]})")
        start = [*self.sub_groups.start(block), *self._begin_enqueuing(enqueues)]
        self.lines.add(f"__global__ void {self.blocks.kernel(block)}({', '.join(parameters)}) {{")
        for line in [*start, f"{name}({', '.join([*arguments, *self.sub_groups.argument(block)])});"]:
            self.lines.add("    " + line)
        self.lines.add("}")
        self.kernels.append(KernelInfo(
            self.blocks.kernel(block), arguments_of(block), uses_barrier=any(map(is_collective, builtins)),
            uses_printf="printf" in builtins, uses_local_memory=bool(block.parameters),
            observes_groups=bool(block.parameters) or any(map(observes_groups, builtins)), uses_global_size=bool(builtins & OF_SIZE),
            waits=self._waits(block), enqueues=enqueues, block=self.blocks.number(block), declarations=tuple(parameters)))

    def _unpacked(self, variable: ir.Variable, member: str) -> list[str]:
        """What a block has captured, under its own name."""
        if isinstance(variable.type, Opaque) and variable.type.kind == "image":
            return [f"const {self.types.name(variable.type)} &{variable.cxx_name} = {member};"]  # read where it is, never copied
        if not isinstance(variable.type, Array):
            return [f"{self.types.declare(variable.type, variable.cxx_name, True)} = {member};"]
        self.types.use("item", "copy_bytes")
        declared = self.types.declare(without_const(variable.type), variable.cxx_name)
        return [f"{declared};", f"ocl::copy_bytes(&{variable.cxx_name}, &{member}, sizeof {member});"]

    def _launch_parameter(self, enqueues: bool) -> list[str]:
        """A kernel's last parameter: what it is told about device queues."""
        if enqueues:
            self.types.use("item", "begin_enqueuing")
        return [f"const __grid_constant__ ocl::enqueuing {self.expressions.unused('launch')}"] * enqueues

    def _begin_enqueuing(self, enqueues: bool) -> list[str]:
        return [f"ocl::begin_enqueuing({self.expressions.unused('launch')});"] * enqueues

    # -- kernels -----------------------------------------------------------------------------------------------------

    def _kernel(self, function: ir.Function, item_loops: bool) -> tuple[str, list[str]]:
        """The kernel's head and the lines that give `local` arguments their place."""
        reached = reachable(function)
        builtins = {name for each in reached for name in each.builtins}
        asks = bool(builtins & ASK_FOR_SPACE) and not function.body_name
        local_size = self._place_locals(function, asks or self.program.zero_local)
        in_dynamic = bool(self.statements.local_offsets)
        parameters, start, args = [], self.sub_groups.start(function), []
        fixed = -(-local_size // LOCAL_ALIGN) * LOCAL_ALIGN if in_dynamic else 0
        first_local = True
        for p in function.parameters:
            local = isinstance(p.type, Pointer) and p.type.space == "local"
            if local:
                self.types.use("local_memory")
                offset = str(fixed) if first_local else f"{p.cxx_name}_offset"
                place = "local_memory" if offset == "0" else f"local_memory + {offset}"
                if item_loops and self.item_loops is not None:
                    place = self.item_loops.unaliased(place)
                cast = place if offset == "0" or item_loops else f"({place})"
                start.append(f"{self.types.declare(p.type, p.cxx_name)} = {self.types.cast(p.type)}{cast};")
                if not first_local:
                    parameters.append(f"unsigned int {offset}")
            else:
                parameters.append(self._kernel_parameter(p, function))
            args.append(argument_info(p, self.types, not (local and first_local), lambda: self.total.keeps_const))
            first_local = first_local and not local
        if self.program.zero_local and (local_size or not first_local):
            self.types.use("item", "zero_local_memory")
            start.insert(0, "ocl::zero_local_memory();")
        attributes = function.attributes
        size = attributes.get("reqd_work_group_size")
        bounds = f"__launch_bounds__({size[0] * size[1] * size[2]}) " if size else ""
        if size:
            self.types.use("item", "assume_work_group_size")
            start.append(f"assume_work_group_size({size[0]}, {size[1]}, {size[2]});")
        if "named_barrier_init" in builtins:
            self.types.use("item", "begin_named_barriers")
            start.append("begin_named_barriers();")
        enqueues = any(map(uses_device_queues, builtins))
        parameters += self._launch_parameter(enqueues)
        start += self._begin_enqueuing(enqueues)
        local_size += sum(size_of(v.type) for each in reached if each is not function for v in each.local_variables)
        uses_local_memory = bool(local_size) or not first_local
        hint = attributes.get("vec_type_hint")
        self.kernels.append(KernelInfo(
            function.name, tuple(args), attribute_text(attributes), size, attributes.get("work_group_size_hint"),
            str(hint[0]) if hint else "", local_size, in_dynamic, any(map(is_collective, builtins)), "printf" in builtins,
            uses_local_memory, uses_local_memory or any(map(observes_groups, builtins)), bool(builtins & OF_SIZE), function.cxx_name,
            required_size(function),
            item_loops=item_loops, waits=self._waits(function), enqueues=enqueues, declarations=tuple(parameters),
            samplers=samplers_of(function, self.program.items) if any(arg.kind == "image" for arg in args) else None,
        ))  # fmt: skip
        return f"__global__ void {bounds}{function.cxx_name}({', '.join(parameters)})", start

    def _place_locals(self, function: ir.Function, together: bool) -> int:
        """Bytes of the kernel's own local variables. Beyond the static limit, or where they shall lie `together` with its arguments',
        each gets a place in dynamic memory."""
        offset = 0
        offsets: dict[ir.Variable, int] = {}
        for variable in function.local_variables:
            align = max(align_of(variable.type), variable.aligned or 1)
            offset = -(-offset // align) * align
            offsets[variable] = offset
            offset += size_of(variable.type)
        self.statements.local_offsets = offsets if together or offset > ir.STATIC_LOCAL_LIMIT else {}
        return offset

    def _kernel_parameter(self, p: ir.Variable, kernel: ir.Function) -> str:
        type = p.type
        if (isinstance(type, Opaque) and type.kind == "image") or is_read_in_place(p, kernel, lambda: self.total.lend_safely):
            return f"const __grid_constant__ {self.types.declare(type, p.cxx_name)}"  # read where it is, never copied
        if isinstance(type, Pointer):
            # Only these may use the read-only cache: plain const pointers may alias in OpenCL.
            restrict = p.restrict or type.space == "constant"
            type = Pointer(type.pointee, type.space, type.const, type.volatile, restrict, None if restrict else type.alias)
        return self.types.declare(type, p.cxx_name, p.const, keeps_volatile(p))
