# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an average thread of a kernel does: floating-point operations, and bytes that it loads and stores.

    for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];

    operations  2*(s4_0/(g0*b0))         bytes  12*(s4_0/(g0*b0))

As formulas of the launch, for `warploom profile`: g0 to g2 and b0 to b2 are the dimensions of grid and block, s4_0 is
the kernel's parameter 0, an integer of 4 bytes. Bytes are those of global memory, wherever they come from: a cache
serves many of them. Of a choice that depends on the thread's number by a range, as a guard does, the part of the
threads is estimated that make it, each number being as likely as any other; of another choice both sides count, and the
formula is then an upper bound. Where a loop goes on until what it loads says so, nothing is known.

Requires a structured kernel as its author wrote it: one loop over threads.
"""

from __future__ import annotations

from warploom.analysis.expressions import Expression, ceiling, most, number, symbol
from warploom.analysis.integers import signed_value
from warploom.core.records import dataclass
from warploom.ir import types
from warploom.ir.core import Const, Function, Op, Operand, Region, Value

FLOATS = frozenset("fadd fsub fmul fdiv frem".split())
FUSED = ("llvm.fma.", "llvm.fmuladd.")
PASSED_ON = frozenset(("sext", "zext", "trunc", "freeze"))
UPWARDS, DOWNWARDS = frozenset(("slt", "ult", "sle", "ule", "ne")), frozenset(("sgt", "ugt", "sge", "uge"))
INCLUSIVE = frozenset(("sle", "ule", "sge", "uge"))
SWAPPED = {
    "slt": "sgt",
    "sgt": "slt",
    "sle": "sge",
    "sge": "sle",
    "ult": "ugt",
    "ugt": "ult",
    "ule": "uge",
    "uge": "ule",
}
BELOW, ABOVE = frozenset(("slt", "ult", "sle", "ule")), frozenset(("sgt", "ugt", "sge", "uge"))


class NotKnown(Exception):
    """What the kernel does depends on what it loads."""


@dataclass(frozen=True, slots=True)
class Span:
    """An integer that has the values from `low` to `high` in different threads, each as likely as any other."""

    low: Expression
    high: Expression

    @property
    def is_one(self) -> bool:
        return self.low == self.high

    @property
    def mean(self) -> Expression:
        return self.low if self.is_one else (self.low + self.high) / number(2)


@dataclass(frozen=True, slots=True)
class Work:
    """Of an average thread."""

    flops: Expression
    bytes: Expression

    def __add__(self, other: Work) -> Work:
        return Work(self.flops + other.flops, self.bytes + other.bytes)

    def times(self, factor: Expression) -> Work:
        return Work(self.flops * factor, self.bytes * factor)


NOTHING = Work(number(0), number(0))


@dataclass(frozen=True, slots=True)
class Formulas:
    """`work`: None where nothing is known. `at_most`: the kernel may do less."""

    work: Work | None
    at_most: bool = False


UNKNOWN = Formulas(None)


def work_formulas(function: Function) -> Formulas:
    """What one thread of `function` does."""
    counter = _Counter(function)
    try:
        return Formulas(counter.region(function.body), counter.at_most)
    except NotKnown:
        return UNKNOWN


class _Counter:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.at_most = False
        self.definitions: dict[Value, Op] = {}
        self.spans: dict[Value, Span] = {}
        for value, name in zip(function.launch, ("g0", "g1", "g2", "b0", "b1", "b2"), strict=True):
            self.spans[value] = Span(symbol(name), symbol(name))
        for place, value in enumerate(function.arguments):
            if types.is_int(value.type):
                name = symbol(f"s{types.bits(value.type) // 8}_{place}")
                self.spans[value] = Span(name, name)

    # -- work

    def region(self, region: Region) -> Work:
        """What the ops of a region do, each time that it runs."""
        total = NOTHING
        for op in region.ops:
            for result in op.results:
                self.definitions[result] = op
            work = self.op(op)
            if work is not NOTHING:
                total += work
        return total

    def op(self, op: Op) -> Work:
        if op.name in ("grid", "block", "warp", "lane"):
            for value, size in zip(op.region.params, op.operands, strict=False):
                self.spans[value] = Span(number(0), self.mean(size) - number(1))
            return self.region(op.region)
        if op.name == "for":
            return self.loop(op)
        if op.name == "while":
            return self.unbounded(op)
        if op.name == "if":
            return self.choice(op)
        if op.regions:
            raise NotKnown
        return self.single(op)

    def loop(self, op: Op) -> Work:
        begin, end, step = (self.span(each) for each in op.operands[:3])
        if begin is None or end is None or step is None or not step.is_one:
            return self.unbounded(op)
        pred = str(op.attrs["pred"])
        if pred in DOWNWARDS:
            begin, end, step = end, begin, Span(-step.low, -step.low)
        self.spans[op.region.params[0]] = Span(begin.low, end.high - number(0 if pred in INCLUSIVE else 1))
        if begin.is_one and end.is_one:
            trips = ceiling((end.mean - begin.low + number(int(pred in INCLUSIVE))) / step.low)
        elif begin.is_one or step.low == number(1):
            trips = (end.mean - begin.mean + number(int(pred in INCLUSIVE))) / step.low
        else:  # each thread begins elsewhere in the first step
            trips = (end.mean - begin.low) / step.low
        return self.region(op.region).times(most(trips, number(0)))

    def unbounded(self, op: Op) -> Work:
        """A loop of unknown trip count: no matter where nothing in it is counted."""
        total = NOTHING
        for region in op.regions:
            total += self.region(region)
        if total != NOTHING:
            raise NotKnown
        return NOTHING

    def choice(self, op: Op) -> Work:
        then, otherwise = (self.region(each) for each in op.regions)
        if then == otherwise:
            return then
        part = self.part(op.operands[0])
        if part is None:
            self.at_most = True
            return then + otherwise
        return then.times(part) + otherwise.times(number(1) - part)

    def single(self, op: Op) -> Work:
        if op.name in FLOATS:
            return Work(number(types.lanes_of(op.result.type) or 1), number(0))
        if op.name == "call":
            return self.call(op)
        if op.name == "load":
            return self.access(op.operands[0], op.result.type)
        if op.name == "store":
            return self.access(op.operands[1], op.operands[0].type)
        if op.name in ("atomicrmw", "cmpxchg"):
            return self.access(op.operands[0], op.results[0].type, 2)
        if op.name in ("memcpy", "memmove", "memset"):
            sides = op.operands[: 1 if op.name == "memset" else 2]
            return Work(number(0), self.mean(op.operands[2]) * number(sum(not self.is_local(each) for each in sides)))
        if op.name in ("call_indirect", "asm"):
            raise NotKnown
        return NOTHING

    def call(self, op: Op) -> Work:
        callee = str(op.attrs["callee"])
        if op.attrs.get("noreturn") or (callee.startswith("__warploom_") and not op.results):
            return NOTHING
        floats = [each for each in op.results if types.is_float(types.element_of(each.type))]
        if not callee.startswith(("llvm.", "__warploom_")) and op.attrs.get("effects") != "none":
            raise NotKnown
        each = 2 if callee.startswith(FUSED) else 1
        return Work(number(sum(each * (types.lanes_of(value.type) or 1) for value in floats)), number(0))

    def access(self, address: Operand, type_: str, times: int = 1) -> Work:
        return Work(number(0), number(0 if self.is_local(address) else times * types.size_of(type_)))

    def is_local(self, address: Operand) -> bool:
        """Whether an address is one of shared memory or of the thread's own."""
        while isinstance(address, Value):
            op = self.definitions.get(address)
            if op is None or op.name != "gep":
                return op is not None and op.name in ("alloca", "scratch", "dynamic_shared")
            address = op.operands[0]
        return any(f"@{name}" in str(address.value) for name in self.function.shared)

    # -- integers

    def mean(self, operand: Operand) -> Expression:
        span = self.span(operand)
        if span is None:
            raise NotKnown
        return span.mean

    def span(self, operand: Operand, depth: int = 0) -> Span | None:
        """The values that an integer has; None where it is loaded or otherwise unknown."""
        if isinstance(operand, Const):
            known = signed_value(operand)
            return None if known is None else Span(number(known), number(known))
        if operand in self.spans:
            return self.spans[operand]
        op = self.definitions.get(operand)
        if op is None or depth > 16 or not types.is_int(operand.type):
            return None
        found = self._computed(op, depth) if op.name in _COMPUTED else None
        if found is not None:
            self.spans[operand] = found
        return found

    def _computed(self, op: Op, depth: int) -> Span | None:
        """The values of the result of `op`, one of _COMPUTED."""
        known: list[Span] = []
        for operand in op.operands:
            span = self.span(operand, depth + 1)
            if span is None:
                return None
            known.append(span)
        if op.name in PASSED_ON:
            return known[0]
        one, other = known
        if op.name == "add":
            return Span(one.low + other.low, one.high + other.high)
        if op.name == "sub":
            return Span(one.low - other.high, one.high - other.low)
        if op.name == "mul" and (one.is_one or other.is_one):
            return Span(one.low * other.low, one.high * other.high)
        value = other.low.value
        if value is None or value <= 0:
            return None
        if op.name == "shl":
            factor = number(1 << int(value))
            return Span(one.low * factor, one.high * factor)
        divisor = number(1 << int(value)) if op.name in ("lshr", "ashr") else number(int(value))
        if op.name in ("urem", "srem"):
            return Span(number(0), divisor - number(1))
        return Span(one.low / divisor, one.high / divisor) if op.name in _DIVISIONS else None

    # -- conditions

    def part(self, condition: Operand, depth: int = 0) -> Expression | None:
        """The part of the threads for which `condition` holds."""
        op = self.definitions.get(condition) if isinstance(condition, Value) else None
        if op is None or depth > 8:
            return None
        if op.name in ("and", "or") or (op.name == "select" and op.result.type == "i1"):
            return self._joined(op, depth)
        if op.name == "xor" and isinstance(op.operands[1], Const) and op.operands[1].value in (1, -1):
            inner = self.part(op.operands[0], depth + 1)
            return None if inner is None else number(1) - inner
        return self._compared(op) if op.name == "icmp" else None

    def _joined(self, op: Op, depth: int) -> Expression | None:
        operands = list(op.operands)
        is_or = op.name == "or"
        if op.name == "select":
            condition, yes, no = operands
            is_or = isinstance(yes, Const)
            if not isinstance(no if not is_or else yes, Const):
                return None
            operands = [condition, no if is_or else yes]
        parts = [self.part(each, depth + 1) for each in operands]
        known = [each for each in parts if each is not None]
        if len(known) < 2:
            return None
        if is_or:
            return number(1) - (number(1) - known[0]) * (number(1) - known[1])
        return known[0] * known[1]

    def _compared(self, op: Op) -> Expression | None:
        one, other = (self.span(each) for each in op.operands)
        pred = str(op.attrs["pred"])
        if one is None or other is None or one.is_one == other.is_one:
            return None
        if one.is_one:
            one, other = other, one
            pred = SWAPPED.get(pred, pred)
        size, bound = one.high - one.low + number(1), other.low
        if pred in ("eq", "ne"):
            return number(1) / size if pred == "eq" else number(1) - number(1) / size
        below = bound - one.low + number(int(pred in ("sle", "ule", "sgt", "ugt")))
        part = most(number(0), (below / size).at_most(number(1)))
        return part if pred in BELOW else number(1) - part if pred in ABOVE else None


_DIVISIONS = frozenset(("udiv", "sdiv", "lshr", "ashr"))
_ARITHMETIC = frozenset(("add", "sub", "mul", "shl", "urem", "srem")) | _DIVISIONS
_COMPUTED = PASSED_ON | _ARITHMETIC
