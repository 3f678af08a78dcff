# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the vectoriser made of one loop over threads, for `warploom explain`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from warploom.analysis.lanes import Shapes
from warploom.analysis.scattered import Reasons
from warploom.analysis.vector_cost import predicted_cycles
from warploom.core.records import dataclass, field
from warploom.core.remarks import Loc
from warploom.ir import types
from warploom.ir.core import Op, Operand, Value, walk_op
from warploom.ir.ops import Effect, effect

# How a vector of threads meets memory, the cheapest first.
UNIFORM, CONTIGUOUS, REVERSED, STRIDED, CHECKED, GATHER, SCATTER, ALONE = KINDS = (
    "uniform",
    "contiguous",
    "reversed",
    "strided",
    "checked",
    "gather",
    "scatter",
    "one by one",
)


GOES_ALONG = "as the operation before it"  # what `Seen.alone` says of all but the first op of a branch
_TOUCHES = (Effect.READ, Effect.WRITE, Effect.CALL)


@dataclass(frozen=True, slots=True)
class Access:
    """Something that costs a vector of threads as much as its threads by themselves, and why."""

    kind: str  # GATHER, SCATTER or ALONE
    reason: str
    loc: Loc | None


@dataclass(frozen=True, slots=True)
class VectorLoop:
    """One loop over threads that became a loop over vectors. Counts are of places in the source."""

    loc: Loc | None  # the first line on which it touches memory, or of the kernel
    last_line: int  # on which it does; 0 where that is not known
    width: int  # threads of a vector
    jam: int  # rows of threads that go together
    asked_by: str  # "" (the cost model), "the command line", "#pragma"
    accesses: Mapping[str, int]  # by kind, of KINDS
    masks: int  # branches and loops at which threads part
    tail: bool  # whether the last vector of a row may have threads that do not exist
    spilled: int  # bytes a thread that it reads from and leaves to other loops over threads
    cycles: float  # predicted for one thread, inner loops counted eight times
    scalar_cycles: float  # the same without vectors
    expensive: tuple[Access, ...] = ()


@dataclass(slots=True)
class Seen:
    """What a widener notes while it writes: ops of the thread loop."""

    scattered: dict[Op, None] = field(default_factory=dict[Op, None])  # became a gather or a scatter
    alone: dict[Op, str] = field(default_factory=dict[Op, str])  # run by one thread after the other, and why


@dataclass(frozen=True, slots=True)
class Form:
    """How a loop was vectorised."""

    width: int
    jam: int
    asked_by: str
    tail: bool


def report(loop: Op, shapes: Shapes, seen: Seen, form: Form) -> VectorLoop:
    """What became of `loop`, which is still in scalar form."""
    reasons = Reasons(loop, shapes)
    inside = {each for op in seen.alone for each in walk_op(op) if each is not op}
    kinds: dict[object, str] = {}
    expensive: dict[object, Access] = {}
    for op in walk_op(loop):
        if op in inside:
            continue
        kind = ALONE if op in seen.alone else _kind(op, shapes, seen.scattered)
        if kind is None or seen.alone.get(op) == GOES_ALONG:
            continue
        place = (op.name, op.loc) if op.loc else op  # copies of unrolled loops are one place
        kinds[place, kind] = kind
        if kind in (GATHER, SCATTER):
            expensive[place] = Access(kind, reasons.why(op), op.loc)
        elif kind == ALONE:
            expensive[place] = Access(kind, seen.alone[op], op.loc)
    parting = {op.loc or op for op in walk_op(loop) if op not in inside and op not in seen.alone and _parts(op, shapes)}
    cycles, scalar = predicted_cycles(loop, shapes, frozenset(shapes.ranges.function.shared))
    lines = [op.loc for op in walk_op(loop) if op.loc and loop.loc and effect(op) in _TOUCHES]
    lines = [loc for loc in lines if loop.loc and loc.file == loop.loc.file]
    return VectorLoop(
        min(lines, key=lambda loc: loc.line, default=loop.loc),
        max((loc.line for loc in lines), default=loop.loc.line if loop.loc else 0),
        form.width,
        form.jam,
        form.asked_by,
        Counter(kinds.values()),
        len(parting),
        form.tail,
        sum(size for _, size in set(_spilled(loop, shapes))),
        cycles,
        scalar,
        tuple(expensive.values()),
    )


def _kind(op: Op, shapes: Shapes, scattered: Collection[Op]) -> str | None:
    """How the load or store `op` was written; None for other ops."""
    if op.name not in ("load", "store"):
        return None
    address = shapes.of(op.operands[-1])
    value = op.results[0] if op.results else op.operands[0]
    size = types.size_of(value.type)
    if op in scattered:
        if address.guarded and address.stride is not None and abs(address.stride) == size:
            return CHECKED
        return GATHER if op.name == "load" else SCATTER
    if address.stride == 0:
        return UNIFORM
    return CONTIGUOUS if address.stride == size else REVERSED if address.stride == -size else STRIDED


def _parts(op: Op, shapes: Shapes) -> bool:
    return op.name in ("if", "for", "while") and shapes.is_divergent(op)


def _spilled(loop: Op, shapes: Shapes) -> Iterator[tuple[Operand, int]]:
    """The buffers that the loop shares with other loops over threads, and the bytes a thread of each."""
    for op in walk_op(loop):
        if op.name not in ("load", "store"):
            continue
        pointer = op.operands[-1]
        maker = shapes.ranges.definitions.get(pointer) if isinstance(pointer, Value) else None
        while maker is not None and maker.name == "gep":
            pointer = maker.operands[0]
            maker = shapes.ranges.definitions.get(pointer) if isinstance(pointer, Value) else None
        if maker is not None and maker.name == "scratch":
            yield pointer, int(str(maker.attrs["size"]))
