# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors that one thread has become its scalars, so that a vector of threads has one vector for each of them.

    %v: <4 x float> = load %p              %v0: float = load %p           %v1: float = load %p + 4   ...
    %w: <4 x float> = fmul %v, %u    ==>   %w0: float = fmul %v0, %u0     %w1: float = fmul %v1, %u1 ...
    memcpy %q, %r, 16                      loads of two i64, then stores

Elements in memory lie one behind the other; every op here works on each element by itself, or only moves elements. An
op that does neither gets its vectors put together again. Copies of a few bytes become loads, then stores: a `memcpy`
may not overlap, and a `memmove` reads all before it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from warploom.analysis.integers import signed_value
from warploom.analysis.lanes import Shapes
from warploom.core.patterns import regex
from warploom.ir import types
from warploom.ir.core import (
    Attribute,
    Builder,
    Const,
    Op,
    Operand,
    Region,
    Value,
    free_values,
    int_const,
    is_undefined,
    walk_op,
)
from warploom.ir.ops import BINARY, CASTS
from warploom.passes.vector.vector_calls import intrinsic_form

_LARGEST_COPY = 64  # bytes
_VECTOR_SUFFIX = regex(r"\.v\d+(?=(f16|bf16|f32|f64|i\d+)(\.|$))")
_EACH = BINARY | CASTS | {"fneg", "freeze", "icmp", "fcmp"}


def has_vectors(loop: Op) -> bool:
    """Whether there is anything here for `scalarise`."""
    return any(
        _is_small_copy(op) or any(types.is_vector(each.type) for each in (*op.operands, *op.results))
        for op in walk_op(loop)
    )


def differs_as_a_whole(op: Op, shapes: Shapes) -> bool:
    """Whether neighbours have different vectors here, or copy different memory."""
    if _is_small_copy(op):
        return any(not shapes.of(each).is_uniform for each in op.operands[:2])
    values = (*op.operands, *op.results)
    return any(types.is_vector(each.type) for each in values) and any(not shapes.of(each).is_uniform for each in values)


def scalarise(loop: Op, definitions: Mapping[Value, Op]) -> None:
    """Take the vectors of the thread loop `loop` apart. `definitions`: what makes each value."""
    _Scalariser(definitions).loop(loop)


class _Scalariser:
    def __init__(self, definitions: Mapping[Value, Op]) -> None:
        self.definitions = definitions
        self.parts: dict[Value, list[Operand]] = {}
        self.build = Builder([])

    def loop(self, loop: Op) -> None:
        """Rewrite the loop's body."""
        (region,) = loop.regions
        self.build = Builder([], loop.loc)
        for value in free_values(loop):
            if types.is_vector(value.type):
                self.parts[value] = self._extracted(value)
        self._ops(region)

    def region(self, region: Region) -> None:
        """Rewrite an inner region and what it gets."""
        outer, self.build = self.build, Builder([], self.build.loc)
        region.params = self._bound(region.params)
        self._ops(region)
        self.build = outer

    def _ops(self, region: Region) -> None:
        for op in region.ops:
            self.build.loc = op.loc
            self._op(op)
        region.ops = self.build.ops

    def _op(self, op: Op) -> None:
        if op.regions or op.name in ("yield", "condition"):
            op.operands = [part for each in op.operands for part in self._flat(each)]
            for inner in op.regions:
                self.region(inner)
            op.results = self._bound(op.results)
            self.build.add(op)
        elif _is_small_copy(op):
            self._copy(op)
        elif any(types.is_vector(each.type) for each in (*op.operands, *op.results)):
            made = self._rewritten(op)
            if made is None:
                self._whole(op)
            elif op.results:
                self._define(op.result, made)
        else:
            op.operands = [self._scalar(each) for each in op.operands]
            self.build.add(op)

    # -- values

    def _bound(self, values: Sequence[Value]) -> list[Value]:
        """New values for the elements of those that control flow passes on."""
        made: list[Value] = []
        for value in values:
            if types.is_vector(value.type):
                elements = [Value(each, value.name) for each in types.elements(value.type)]
                self.parts[value] = list(elements)
                made += elements
            else:
                made.append(value)
        return made

    def _define(self, value: Value, made: list[Operand]) -> None:
        self.parts[value] = made

    def _scalar(self, operand: Operand) -> Operand:
        """A scalar that may have come out of a vector."""
        found = self.parts.get(operand) if isinstance(operand, Value) else None
        return found[0] if found is not None else operand

    def _flat(self, operand: Operand) -> list[Operand]:
        return self._elements(operand) if types.is_vector(operand.type) else [self._scalar(operand)]

    def _elements(self, operand: Operand) -> list[Operand]:
        if isinstance(operand, Value):
            return self.parts[operand]
        if is_undefined(operand):
            return [Const(each, operand.value) for each in types.elements(operand.type)]
        return self._extracted(operand)

    def _extracted(self, operand: Operand) -> list[Operand]:
        return [
            self.build.op("extractelement", [operand, int_const("i64", number)], each)
            for number, each in enumerate(types.elements(operand.type))
        ]

    def _together(self, operand: Operand) -> Operand:
        """A vector put together again."""
        if not types.is_vector(operand.type) or isinstance(operand, Const):
            return self._scalar(operand)
        total: Operand = Const(operand.type, "poison")
        for number, each in enumerate(self._elements(operand)):
            total = self.build.op("insertelement", [total, each, int_const("i64", number)], operand.type)
        return total

    def _whole(self, op: Op) -> None:
        op.operands = [self._together(each) for each in op.operands]
        self.build.add(op)
        for value in op.results:
            if types.is_vector(value.type):
                self.parts[value] = self._extracted(value)

    # -- ops

    def _rewritten(self, op: Op) -> list[Operand] | None:
        """The elements (or the one scalar) of the result; None where `op` needs whole vectors."""
        if op.name in ("load", "store"):
            return self._access(op)
        if op.name == "bitcast" and len(self._flat(op.operands[0])) != len(_types(op.result)):
            return None
        if op.name in _EACH or op.name == "select":
            return self._each(op)
        if op.name == "call":
            return self._call(op)
        rule = _MOVES.get(op.name)
        return rule(self, op) if rule is not None else None

    def _each(self, op: Op, **attrs: str) -> list[Operand]:
        given = [self._flat(each) for each in op.operands]
        made: list[Operand] = []
        for number, type_ in enumerate(_types(op.result)):
            operands = [parts[number if len(parts) > 1 else 0] for parts in given]
            made.append(self.build.op(op.name, operands, type_, op.result.name, **{**op.attrs, **attrs}))
        return made

    def _call(self, op: Op) -> list[Operand] | None:
        callee = str(op.attrs["callee"])
        scalar = _VECTOR_SUFFIX.sub(".", callee)
        form = intrinsic_form(scalar, len(_types(op.result))) if op.results else None
        return self._each(op, callee=scalar) if form is not None and form.callee == callee else None

    def _access(self, op: Op) -> list[Operand] | None:
        value = op.results[0] if op.results else op.operands[0]
        elements, pointer = types.elements(value.type), self._scalar(op.operands[-1])
        if types.bits(elements[0]) % 8 or op.attrs.get("volatile") or op.attrs.get("ordering"):
            return None
        size, align = types.bits(elements[0]) // 8, int(str(op.attrs.get("align") or types.align_of(value.type)))
        made: list[Operand] = []
        for number, each in enumerate([] if op.results else self._elements(value)):
            self.build.effect("store", [each, self._at(pointer, number * size)], **_aligned(op, align, number * size))
        for number, each in enumerate(elements if op.results else ()):
            place, attrs = self._at(pointer, number * size), _aligned(op, align, number * size)
            made.append(self.build.op("load", [place], each, op.result.name, **attrs))
        return made

    def _at(self, pointer: Operand, offset: int) -> Operand:
        return self.build.op("gep", [pointer], "ptr", offset=offset, strides=()) if offset else pointer

    def _copy(self, op: Op) -> None:
        """In the largest pieces that both sides have; private memory is mostly used in words."""
        to, source = (self._scalar(each) for each in op.operands[:2])
        count = signed_value(op.operands[2]) if isinstance(op.operands[2], Const) else None
        assert count is not None
        aligns = [int(str(op.attrs.get(key) or 1)) for key in ("align_to", "align_from")]
        most = 4 if self._is_private(to) or self._is_private(source) else 8
        size = min(most, count & -count, max(min(aligns), 1))
        unit = f"i{8 * size}"
        offsets = range(0, count, size)
        values = [self.build.op("load", [self._at(source, at)], unit, align=_align_at(aligns[1], at)) for at in offsets]
        for at, value in zip(offsets, values, strict=True):
            self.build.effect("store", [value, self._at(to, at)], align=_align_at(aligns[0], at))

    def _is_private(self, pointer: Operand) -> bool:
        op = self.definitions.get(pointer) if isinstance(pointer, Value) else None
        while op is not None and op.name == "gep" and isinstance(op.operands[0], Value):
            op = self.definitions.get(op.operands[0])
        return op is not None and op.name == "alloca"

    # -- what only moves elements

    def extractelement(self, op: Op) -> list[Operand]:
        """One element; one of them all, where the number is not known."""
        elements, index = self._elements(op.operands[0]), self._scalar(op.operands[1])
        number = signed_value(index) if isinstance(index, Const) else None
        if number is not None:
            return [elements[number]]
        found = elements[-1]
        for at in range(len(elements) - 2, -1, -1):
            here = self.build.op("icmp", [index, int_const(index.type, at)], "i1", pred="eq")
            found = self.build.op("select", [here, elements[at], found], found.type)
        return [found]

    def insertelement(self, op: Op) -> list[Operand]:
        """All elements but one."""
        elements, value, index = self._elements(op.operands[0]), self._scalar(op.operands[1]), op.operands[2]
        number = signed_value(index) if isinstance(index, Const) else None
        if number is not None:
            return [value if at == number else each for at, each in enumerate(elements)]
        index = self._scalar(index)
        made: list[Operand] = []
        for at, each in enumerate(elements):
            here = self.build.op("icmp", [index, int_const(index.type, at)], "i1", pred="eq")
            made.append(self.build.op("select", [here, value, each], value.type))
        return made

    def shufflevector(self, op: Op) -> list[Operand]:
        """Elements of either vector."""
        elements = [*self._elements(op.operands[0]), *self._elements(op.operands[1])]
        mask = op.attrs["mask"]
        assert isinstance(mask, tuple)
        numbers = [int(str(each)) for each in mask]
        return [elements[at] if at >= 0 else Const(elements[0].type, "poison") for at in numbers]

    def splat(self, op: Op) -> list[Operand]:
        """The same everywhere."""
        return [self._scalar(op.operands[0])] * len(_types(op.result))


_MOVES: dict[str, Callable[[_Scalariser, Op], list[Operand]]] = {
    "extractelement": _Scalariser.extractelement,
    "insertelement": _Scalariser.insertelement,
    "shufflevector": _Scalariser.shufflevector,
    "splat": _Scalariser.splat,
}


def _types(value: Value) -> Sequence[str]:
    return types.elements(value.type) if types.is_vector(value.type) else (value.type,)


def _align_at(align: int, offset: int) -> int:
    return min(align, offset & -offset) if offset else align


def _aligned(op: Op, align: int, offset: int) -> dict[str, Attribute]:
    return {**op.attrs, "align": _align_at(align, offset)}


def _is_small_copy(op: Op) -> bool:
    if op.name not in ("memcpy", "memmove") or op.attrs.get("volatile"):
        return False
    count = signed_value(op.operands[2]) if isinstance(op.operands[2], Const) else None
    return count is not None and 0 < count <= _LARGEST_COPY
