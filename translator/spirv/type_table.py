"""SPIR-V's types (section 3.49.6) as types of the representation.

SPIR-V's integers have no sign: in memory and at a function's border they are unsigned, and every instruction that asks for a sign
converts. A vector of booleans is a vector of chars that are 0 or -1. Arrays, which C++ does not copy, are wrapped in a struct
where they are values.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir import nodes as ir
from ..ir.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    HALF,
    UCHAR,
    UINT,
    ULONG,
    USHORT,
    VOID,
    WIDTHS,
    Array,
    Field,
    Opaque,
    Pointer,
    Record,
    Scalar,
    Space,
    Type,
    Vector,
    innermost,
)  # fmt: skip
from .errors import NotOffered
from .grammar import enumerant_name
from .module import Module
from .names import Names, identifier
from .reader import Instruction

UNSIGNED = {8: UCHAR, 16: USHORT, 32: UINT, 64: ULONG}
FLOATS = {16: HALF, 32: FLOAT, 64: DOUBLE}
SPACES: dict[str, Space] = {"Function": "private", "CrossWorkgroup": "global", "Workgroup": "local", "UniformConstant": "constant",
                            "Generic": "generic", "Input": "private",
                            # SPV_INTEL_usm_storage_classes tells memory of devices from memory of the host: both are global.
                            "DeviceOnlyINTEL": "global", "HostOnlyINTEL": "global"}  # fmt: skip
_ACCESS = {"ReadOnly": "read_only", "WriteOnly": "write_only", "ReadWrite": "read_write"}
_IMAGES = {"1D": "image1d", "2D": "image2d", "3D": "image3d", "Buffer": "image1d_buffer"}
_SIMPLE = {"OpTypeEvent": "event_t", "OpTypeReserveId": "reserve_id_t", "OpTypeNamedBarrier": "named_barrier_t",
           "OpTypeSampler": "sampler_t", "OpTypeQueue": "queue_t", "OpTypeDeviceEvent": "clk_event_t"}  # fmt: skip
# Where an array of more bytes than any device has memory begins to be a damaged module.
_LARGEST = 1 << 40


class TypeTable:
    """array_length gives the value of the constant of that id, as an integer."""

    def __init__(self, module: Module, names: Names):
        self.module, self.names = module, names
        self.records: list[Record] = []  # in the order of their definition
        self._types: dict[int, Type] = {}
        self._busy: set[int] = set()
        self._wrappers: dict[tuple[Type, int], Record] = {}
        self._unaligned: dict[tuple[Type, int], Record] = {}
        self.array_length: Callable[[int, Instruction], int] = lambda id, by: 0

    # -- by id -------------------------------------------------------------------------------------------------------

    def instruction(self, id: int, by: Instruction) -> Instruction:
        found = self.module.definition(id, by)
        if not found.name.startswith("OpType") or found.name == "OpTypeForwardPointer":
            raise by.fail(f"id {id} is {found.name}, no type")
        return found

    def type(self, id: int, by: Instruction) -> Type:
        """What variables of the type are in memory."""
        known = self._types.get(id)
        if known is not None:
            return known
        found = self.instruction(id, by)
        if id in self._busy:
            if found.name == "OpTypePointer" and found.operands[1] in self._types:
                return self._pointer(found)  # a struct, being made, that holds a pointer to itself
            raise found.fail("the type holds itself")
        self._busy.add(id)
        try:
            made = _MAKERS[found.name](self, found) if found.name in _MAKERS else self._simple(found)
        except RecursionError:
            raise found.fail("types are nested too deeply") from None
        finally:
            self._busy.discard(id)
        self._types[id] = made
        return made

    def value_type(self, id: int, by: Instruction) -> Type:
        """What values of the type are."""
        return self.as_value(self.type(id, by))

    def as_value(self, type: Type) -> Type:
        return self.wrapper(type) if isinstance(type, Array) else type

    def wrapper(self, array: Array) -> Record:
        """The struct that holds an array as a value, in its field `elements`."""
        key = (array.element, array.length or 0)
        if key not in self._wrappers:
            record = Record("struct", self.names.new("array_value"), [Field("elements", array)])
            self._wrappers[key] = record
            self.records.append(record)
        return self._wrappers[key]

    def unaligned(self, type: Type, aligned: int) -> Record:
        """The struct through whose field `value` memory is accessed that is aligned to fewer bytes than the type is."""
        key = (type, aligned)
        if key not in self._unaligned:
            record = Record("struct", self.names.new("unaligned"), [Field("value", type)], packed=True, aligned=aligned)
            self._unaligned[key] = record
            self.records.append(record)
        return self._unaligned[key]

    def is_wrapper(self, type: Type) -> bool:
        return isinstance(type, Record) and type in self._wrappers.values()

    # -- makers ------------------------------------------------------------------------------------------------------

    def _simple(self, found: Instruction) -> Type:
        if found.name == "OpTypeVoid":
            return VOID
        if found.name == "OpTypeBool":
            return BOOL
        if found.name in _SIMPLE:
            return Opaque(_SIMPLE[found.name])
        raise NotOffered("the type is not offered", found.offset, repr(found))

    def _int(self, found: Instruction) -> Type:
        width, signedness = found.operands
        if width not in UNSIGNED:
            raise found.fail(f"integers of {width} bits are not offered")
        if signedness > 1:
            raise found.fail(f"signedness {signedness} is neither 0 nor 1")
        return UNSIGNED[width]

    def _float(self, found: Instruction) -> Type:
        if found.operands[0] not in FLOATS:
            raise found.fail(f"floating-point numbers of {found.operands[0]} bits are not offered")
        return FLOATS[found.operands[0]]

    def _vector(self, found: Instruction) -> Type:
        element, count = self.type(found.operands[0], found), found.operands[1]
        if not isinstance(element, Scalar) or count not in WIDTHS:
            raise found.fail(f"there is no vector of {count} of '{element}'")
        return Vector(CHAR if element == BOOL else element, count)

    def _array(self, found: Instruction) -> Type:
        element = self.type(found.operands[0], found)
        length = self.array_length(found.operands[1], found)
        if not 0 <= length < _LARGEST:
            raise found.fail(f"an array of {length} elements")
        return Array(element, length)

    def _struct(self, found: Instruction) -> Type:
        module, id = self.module, found.result
        name = identifier(module.names.get(id, "").removeprefix("struct.").removeprefix("union.").removeprefix("class."))
        record = Record("struct", self.names.new(name or f"struct_{id}"))
        record.packed = module.decoration(id, "CPacked") is not None
        self._types[id] = record  # its fields may point to it
        fields, names = [], Names()
        for number, each in enumerate(found.operands):
            type = self.type(each, found)
            if isinstance(type, Record) and type.fields is None:
                raise found.fail("the struct holds itself, or one without members")
            held = innermost(type)
            if isinstance(held, Opaque) and held.kind not in ("queue", "clk_event") and "DeviceEnqueue" in module.capabilities:
                # What is enqueued is bytes, laid out by the compiler, for which these are pointers.
                raise NotOffered(f"an object of type '{held}' that an enqueued function captures is not offered", found.offset, repr(found))
            own = identifier(module.member_names.get((id, number), "")) or f"f{number}"
            fields.append(Field(names.new(own), type))
        record.fields = fields
        self.records.append(record)
        return record

    def _opaque(self, found: Instruction) -> Type:
        record = Record("struct", self.names.new(identifier(found.operands[0]) or f"opaque_{found.result}"))
        self.records.append(record)
        return record

    def _pointer(self, found: Instruction) -> Type:
        storage = enumerant_name("StorageClass", found.operands[0])
        if storage not in SPACES:
            raise found.fail(f"storage class {storage} is not offered")
        space = SPACES[storage]
        pointee = self.type(found.operands[1], found)
        return Pointer(pointee, space, const=space == "constant")

    def _image(self, found: Instruction) -> Type:
        dim = enumerant_name("Dim", found.operands[1])
        depth, arrayed, multisampled = found.operands[2:5]
        if dim not in _IMAGES or multisampled:
            what = f"images of dimension {dim}{', multisampled,' * bool(multisampled)} are not offered"
            raise NotOffered(what, found.offset, repr(found))
        access = "ReadOnly"
        if len(found.operands) > 7:
            access = enumerant_name("AccessQualifier", found.operands[7])
        name = f"{_IMAGES[dim]}{'_array' * bool(arrayed)}{'_depth' * (depth == 1)}_t"
        if (arrayed and dim not in ("1D", "2D")) or (depth == 1 and dim != "2D"):
            raise found.fail(f"there is no {name}")
        return Opaque(name, _ACCESS[access])

    def _pipe(self, found: Instruction) -> Type:
        access = enumerant_name("AccessQualifier", found.operands[0])
        return Opaque("pipe", _ACCESS[access], UCHAR)  # the packets are known of each pipe, not of the type

    def items(self) -> list[ir.Item]:
        """The structs, each after those that it holds; announced first where pointers make a circle."""
        number = {record: at for at, record in enumerate(self.records)}
        early = {target: None for at, record in enumerate(self.records) for field in record.fields or ()
                 if (target := _pointed_to(field.type)) is not None and number[target] >= at}
        undefined = [record for record in self.records if record.fields is None]
        announced: list[ir.Item] = [ir.RecordItem(record, 0, False) for record in dict.fromkeys([*early, *undefined])]
        return announced + [ir.RecordItem(record, 0, True) for record in self.records if record.fields is not None]

    def function(self, id: int, by: Instruction) -> Instruction:
        found = self.module.definition(id, by)
        if found.name != "OpTypeFunction":
            raise by.fail(f"id {id} is {found.name}, no function type")
        return found


def _pointed_to(type: Type) -> Record | None:
    """The struct at the end of a pointer, or of an array of pointers."""
    found = False
    while isinstance(type, (Pointer, Array)):
        found = found or isinstance(type, Pointer)
        type = type.pointee if isinstance(type, Pointer) else type.element
    return type if found and isinstance(type, Record) else None


_MAKERS = {
    "OpTypeInt": TypeTable._int, "OpTypeFloat": TypeTable._float, "OpTypeVector": TypeTable._vector, "OpTypeArray": TypeTable._array,
    "OpTypeStruct": TypeTable._struct, "OpTypeOpaque": TypeTable._opaque, "OpTypePointer": TypeTable._pointer,
    "OpTypeImage": TypeTable._image, "OpTypePipe": TypeTable._pipe,
}  # fmt: skip
