# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on vectors as Python source, for the interpreter: see translate.py.

A vector is a tuple. Lanes are Python's loops over the tuples of an op; a lane that a mask leaves out is not looked at,
so that whatever garbage it holds does no harm.
"""

from __future__ import annotations

from warploom.ir import intrinsics, types
from warploom.ir.core import Op, Operand
from warploom.ir.literal import tuple_text
from warploom.ir.scalar import signed_text
from warploom.ir.translate_base import SourceWriter

ADDRESS_MASK = (1 << 64) - 1
_STARTS = {"fadd": "-0.0", "fmul": "1.0"}


class VectorTranslator(SourceWriter):
    """Emits addresses, and the ops that take vectors apart, put them together, or access memory by lane."""

    def gep(self, op: Op) -> None:
        strides = op.attrs.get("strides", ())
        assert isinstance(strides, tuple)
        lanes: list[tuple[str, str]] = []  # name of an element, the vector it comes from

        def scalar(operand: Operand) -> str:
            if not types.is_vector(operand.type):
                return self.arg(operand)
            lanes.append((f"e{len(lanes)}", self.arg(operand)))
            return lanes[-1][0]

        text = scalar(op.operands[0])
        if op.attrs.get("offset"):
            text += f" + {op.attrs['offset']}"
        for index, stride in zip(op.operands[1:], strides, strict=True):
            width = types.bits(types.element_of(index.type))
            value = scalar(index)
            text += f" + {value if width == 64 else signed_text(value, width)} * {stride}"
        if not text.isidentifier():
            text = f"({text}) & {ADDRESS_MASK}"
        name = self.define(op.result)
        self.emit(f"{name} = tuple([{text} for {_together(lanes)}])" if lanes else f"{name} = {text}")

    def splat(self, op: Op) -> None:
        self.emit(f"{self.define(op.result)} = ({self.arg(op.operands[0])},) * {types.lanes_of(op.result.type)}")

    def reduce(self, op: Op) -> None:
        kind, type_ = str(op.attrs["kind"]), op.operands[0].type
        start = _STARTS.get(kind, "")
        operands = [*([op.result.type] if start else []), type_]
        function = intrinsics.resolve(f"llvm.vector.reduce.{kind}", operands, op.result.type)
        args = ", ".join([*([start] if start else []), self.arg(op.operands[0])])
        self.emit(f"{self.define(op.result)} = {self.bind('reduce', function)}({args})")

    def extractelement(self, op: Op) -> None:
        vector, index = self.arg(op.operands[0]), self.arg(op.operands[1])
        count = len(types.elements(op.operands[0].type))
        text = f"{vector}[{index}]"
        if not index.isdigit():
            text += f" if {index} < {count} else {self.garbage(op.result.type)}"
        self.emit(f"{self.define(op.result)} = {text}")

    def insertelement(self, op: Op) -> None:
        vector, element, index = (self.arg(each) for each in op.operands)
        vector = self.named(vector)
        count = len(types.elements(op.operands[0].type))
        text = f"({vector}[:{index}] + ({element},) + {vector}[{index} + 1:])[:{count}]"
        self.emit(f"{self.define(op.result)} = {text}")

    def shufflevector(self, op: Op) -> None:
        first, second = (self.named(self.arg(each)) for each in op.operands)
        count = len(types.elements(op.operands[0].type))
        mask = op.attrs["mask"]
        assert isinstance(mask, tuple)
        inner = types.elements(op.result.type)[0]
        parts = [
            self.garbage(inner) if n < 0 else f"{first}[{n}]" if n < count else f"{second}[{n - count}]"
            for n in (int(str(each)) for each in mask)
        ]
        self.emit(f"{self.define(op.result)} = {tuple_text(parts)}")

    # -- memory --

    def vector_load(self, op: Op) -> None:
        """masked_load and gather."""
        pointer, mask, other = (self.named(self.arg(each)) for each in op.operands[:3])
        element = types.element_of(op.result.type)
        addresses = self.addresses(op, pointer, element)
        self.vector_access(op, addresses, mask, types.size_of(element), write=False)
        lanes = f"for a, m, o in zip({addresses}, {mask}, {other})"
        self.emit(f"{self.define(op.result)} = tuple([MEMORY.load({element!r}, a) if m else o {lanes}])")

    def vector_store(self, op: Op) -> None:
        """masked_store and scatter: lanes in order."""
        value, pointer, mask = (self.named(self.arg(each)) for each in op.operands[:3])
        element = types.element_of(op.operands[0].type)
        addresses = self.addresses(op, pointer, element)
        self.vector_access(op, addresses, mask, types.size_of(element), write=True)
        x, a, m = self.fresh("t"), self.fresh("t"), self.fresh("t")
        self.emit(f"for {x}, {a}, {m} in zip({value}, {addresses}, {mask}):")
        self.emit(f"  if {m}: MEMORY.store({element!r}, {a}, {x})")

    def addresses(self, op: Op, pointer: str, element: str) -> str:
        """The name of the vector of addresses that `op` accesses."""
        if op.name in ("gather", "scatter"):
            return pointer
        if op.name in ("gather_near", "scatter_near"):
            span, size, lanes = (
                self.arg(op.operands[3]),
                types.size_of(element),
                types.lanes_of(op.operands[2].type) or 0,
            )
            row = f"[({pointer}[0] + {size} * n) & {ADDRESS_MASK} for n in range({lanes})]"
            return self.named(f"{row} if {span} == {(lanes - 1) * size} else {pointer}")
        vector = op.operands[2 if op.name == "masked_load" else 0].type
        steps = f"range(0, {types.size_of(element) * len(types.elements(vector))}, {types.size_of(element)})"
        return self.named(f"[({pointer} + n) & {ADDRESS_MASK} for n in {steps}]")

    def vector_access(self, op: Op, addresses: str, mask: str, size: int, write: bool) -> None:
        """What comes before an access by lane: see access() of translate_ops.py."""
        align = op.attrs.get("align", 1)
        checks: list[str] = []
        if self.seeded:
            self.scope.used.add("q")
            self.emit("q -= 1")
            self.emit("if q < 0: q = yield")
            if isinstance(align, int) and align > 1:
                known = min(align, size)
                checks.append(f"if {{0}} & {known - 1}: misaligned({{0}}, {known})")
        if self.races:
            checks.append(f"TRACKER.access({{0}}, {size}, {write}, False, {self.site(op)})")
        if not checks:
            return
        a, m = self.fresh("t"), self.fresh("t")
        self.emit(f"for {a}, {m} in zip({addresses}, {mask}):")
        self.emit(f"  if not {m}: continue")
        for check in checks:
            self.emit("  " + check.format(a))


def _together(lanes: list[tuple[str, str]]) -> str:
    """`names in vectors` of a loop over the lanes."""
    names, vectors = ", ".join(name for name, _ in lanes), ", ".join(vector for _, vector in lanes)
    return f"{names} in {vectors}" if len(lanes) == 1 else f"{names} in zip({vectors})"
