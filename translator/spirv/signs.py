"""Which integers people would call signed. SPIR-V's have no sign; instructions say how they read one. Values that are copied, added
or merged share what their uses say. It decides how variables are declared, and nothing of what is computed.
"""

from __future__ import annotations

from .grammar import opencl_std
from .module import Module
from .reader import Instruction

_SIGNED = frozenset(
    "OpSDiv OpSRem OpSMod OpSLessThan OpSLessThanEqual OpSGreaterThan OpSGreaterThanEqual OpConvertSToF OpSConvert "
    "OpShiftRightArithmetic OpSNegate OpSatConvertSToU OpAtomicSMin OpAtomicSMax OpSMulExtended".split()
)
_UNSIGNED = frozenset(
    "OpUDiv OpUMod OpULessThan OpULessThanEqual OpUGreaterThan OpUGreaterThanEqual OpConvertUToF OpUConvert OpShiftRightLogical "
    "OpSatConvertUToS OpAtomicUMin OpAtomicUMax OpUMulExtended".split()
)
# Instructions that give a sign to their results.
_SIGNED_RESULT = frozenset("OpSDiv OpSRem OpSMod OpConvertFToS OpSConvert OpShiftRightArithmetic OpSNegate OpSatConvertUToS".split())
_UNSIGNED_RESULT = frozenset("OpUDiv OpUMod OpConvertFToU OpUConvert OpShiftRightLogical OpSatConvertSToU".split())
_SAME = frozenset("OpIAdd OpISub OpIMul OpBitwiseAnd OpBitwiseOr OpBitwiseXor OpNot OpCopyObject OpLoad OpStore".split())


class Signs:
    def __init__(self, module: Module):
        self.module = module
        self._same: dict[int, int] = {}
        self._votes: dict[int, int] = {}
        bodies = {body.id: body for body in module.functions}
        for function in module.functions:
            for block in function.blocks:
                for each in [*block.phis, *block.body, block.terminator]:
                    if each is None:
                        continue
                    if each.name == "OpFunctionCall" and each.operands[0] in bodies:
                        callee = bodies[each.operands[0]]
                        self._join(each.result, callee.id)
                        for given, parameter in zip(each.operands[1:], callee.parameters, strict=False):
                            self._join(given, parameter.result)
                    elif each.name == "OpReturnValue":
                        self._join(function.id, each.operands[0])
                    else:
                        self._learn(each)

    def signed(self, id: int) -> bool:
        return self._votes.get(self._root(id), 0) > 0

    def _learn(self, each: Instruction) -> None:
        name = each.name
        if name == "OpPhi":
            for value in each.operands[::2]:
                self._join(each.result, value)
        elif name == "OpStore":
            self._join(each.operands[0], each.operands[1])
        elif name == "OpSelect":
            for value in each.operands[1:]:
                self._join(each.result, value)
        elif name in _SAME:
            for value in each.ids:
                self._join(each.result, value)
            if self.module.decoration(each.result, "NoSignedWrap") is not None:
                self._vote(each.result, 1 if self.module.decoration(each.result, "NoUnsignedWrap") is None else 0)
        elif name in ("OpIEqual", "OpINotEqual"):
            self._join(*each.ids[:2])
        else:
            self._votes_of(each)

    def _votes_of(self, each: Instruction) -> None:
        name = each.name
        if name == "OpExtInst" and self.module.imports.get(each.operands[0]) == "OpenCL.std":
            function = opencl_std()[each.operands[1]][0]
            vote = 1 if function.startswith("s_") else -1 if function.startswith("u_") else 0
            for id in each.ids[1:]:
                self._vote(id, vote)
            if function not in ("s_abs", "s_abs_diff"):
                self._vote(each.result, vote)
            return
        # The amount of a shift says nothing.
        operands = each.ids[:1] if name.startswith("OpShift") else each.ids
        vote = 1 if name in _SIGNED else -1 if name in _UNSIGNED and not self._narrows(each) else 0
        for id in operands:
            self._vote(id, vote)
        self._vote(each.result, 1 if name in _SIGNED_RESULT else -1 if name in _UNSIGNED_RESULT and not self._narrows(each) else 0)

    def _narrows(self, each: Instruction) -> bool:
        """Whether a conversion gives fewer bits: then it reads no sign."""
        if each.name != "OpUConvert":
            return False
        value = self.module.defined.get(each.operands[0])
        types = [self.module.defined.get(each.type), self.module.defined.get(value.type) if value else None]
        bits = [type.operands[0] if type is not None and type.name == "OpTypeInt" else 0 for type in types]
        return 0 < bits[0] < bits[1]

    # -- what is the same --------------------------------------------------------------------------------------------

    def _root(self, id: int) -> int:
        root = id
        while root in self._same:
            root = self._same[root]
        while id != root:
            self._same[id], id = root, self._same[id]
        return root

    def _constant(self, id: int) -> bool:
        found = self.module.defined.get(id)
        return found is None or found.name.startswith(("OpConstant", "OpSpecConstant", "OpUndef"))

    def _join(self, one: int, other: int) -> None:
        if self._constant(one) or self._constant(other):
            return  # constants are everybody's
        one, other = self._root(one), self._root(other)
        if one != other:
            self._same[one] = other
            self._votes[other] = self._votes.get(other, 0) + self._votes.pop(one, 0)

    def _vote(self, id: int, vote: int) -> None:
        if vote and not self._constant(id):
            root = self._root(id)
            self._votes[root] = self._votes.get(root, 0) + vote
