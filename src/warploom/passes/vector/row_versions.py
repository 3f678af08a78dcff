# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a vector of threads does with quotients gets a version for vectors whose threads all have the same ones.

                                          %f = sub %i, %lane             the first thread's
    %q = udiv %i, %w                      %q0 = udiv %f, %w;  %q1 = udiv (add %f, W - 1), %w
    %r = urem %i, %w             ==>      if %q0 == %q1 && %f <= %f + W - 1 {
    A                                       %r = sub %i, %q0 * %w;  A with %q0 in place of %q
                                          } { %q = udiv %i, %w;  %r = urem %i, %w;  A }

`i / w` and `i % w` are row and column of an element: as long as no row ends, neighbours have one row, and their columns
count on, in steps of several where threads take pieces of as many. Which of the two is asked once for a vector. A loop
that takes an index apart by one size after the other (`i % w0`, `i / w0 % w1`, ...) has its first trip in front; sums
that it carries start with 0, and what the first trip made is added behind it. So its other trips are the same for all
threads.

Sound because the values of the first and last thread are those of unsigned functions that do not fall as the index
grows, one by one from thread to thread: where both are equal, so are all between them. It is asked that no step of such
a function wraps: a sum, at its last thread; a signed quotient, that its operands are positive. Sums of integers may be
made in any order, modulo 2^n.
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.analysis.integers import signed_value
from warploom.analysis.lanes import Shapes
from warploom.analysis.pieces import pieces_in
from warploom.analysis.strides import is_scattered
from warploom.core.deferred import deferred
from warploom.core.records import dataclass, field
from warploom.core.type_names import TYPE_CHECKING
from warploom.ir import types
from warploom.ir.core import (
    FALSE,
    Builder,
    Const,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    flags_of,
    int_const,
    replace_uses,
    uses_of,
    walk,
    walk_op,
)
from warploom.ir.ops import DIVISIONS, is_plain_load, leaves_memory
from warploom.ir.properties import is_arithmetic, is_removable

if TYPE_CHECKING:
    from warploom.passes.vector import rows_of_blocks
else:
    rows_of_blocks = deferred("warploom.passes.vector.rows_of_blocks")

NAME = "row_versions"
LARGEST = 300  # ops of what is worth writing twice
LONGEST_STEP = 1024  # from thread to thread: no vector of them counts around more than once
_STEPS = frozenset(("udiv", "sdiv", "lshr"))


@dataclass(frozen=True, slots=True)
class RowChoice:
    """A choice between versions, where it stands, and the smallest step of an index from thread to thread."""

    op: Op
    place: Region
    step: int


def version_rows(loop: Op, shapes: Shapes, lane: Value, front: list[Op]) -> list[RowChoice]:
    """Write versions in the thread loop `loop`, which `lane` numbers the threads of, and in `front` what all of its
    threads share; the choices between them."""

    def version(region: Region) -> list[RowChoice]:
        choice = _version(region, shapes, lane, loop, front)
        if choice is not None:
            return [choice]
        choices: list[RowChoice] = []
        for op in region.ops:
            for inner in op.regions if not is_left_one_by_one(op, shapes) else ():
                choices += version(inner)
        return choices

    return version(loop.region)


# -- questions --------------------------------------------------------------------------------------------------------


def is_left_one_by_one(op: Op, shapes: Shapes) -> bool:
    """Whether `op` is a loop that threads leave in different trips: there they may go one by one, and ask in vain."""
    return op in shapes.trips and shapes.is_divergent(op)


def _step(operand: Operand, shapes: Shapes) -> int:
    """How much more each thread has than the thread before it; 0 where that is not known, nothing, or much."""
    shape = shapes.of(operand)
    if operand.type not in ("i32", "i64") or shape.is_uniform or shape.guarded or shape.stride is None:
        return 0
    return shape.stride if 0 < shape.stride <= LONGEST_STEP else 0


def _most(region: Region, shapes: Shapes) -> int:
    """The longest step from thread to thread with which versions pay: where threads take pieces they may be rows."""
    pieces = pieces_in(region, shapes.ranges.definitions)
    return LONGEST_STEP if any(is_scattered(each.members[0], shapes) for each in pieces) else 1


def _is_same(operand: Operand, shapes: Shapes) -> bool:
    return shapes.of(operand).is_uniform


def _place(region: Region, shapes: Shapes) -> int | None:
    """Where in `region` what follows a quotient begins; None where there is none."""
    for at, op in enumerate(region.body):
        step = _step_of(op, shapes)
        if step == 1 or (step and step <= _most(region, shapes)):
            return at
        if op.name == "lshr" and shapes.of(op.result).is_vector and not isinstance(op.operands[1], Const):
            return 0  # it may be the end of a division by multiplication
    return None


def _step_of(op: Op, shapes: Shapes) -> int:
    """The step of the index that `op` divides, or that it starts with as a loop; 0 where it does neither."""
    if op.name == "while" and not is_left_one_by_one(op, shapes):
        steps = filter(None, (_step(each, shapes) for each in op.operands))
        is_test = all(is_arithmetic(each) or is_plain_load(each) for each in op.regions[0].body)
        return min(steps, default=0) if is_test else 0
    if op.name not in DIVISIONS or not shapes.of(op.result).is_vector:
        return 0
    step = _step(op.operands[0], shapes)
    return step if _may_last(op.operands[1], step, shapes) else 0


def _may_last(divisor: Operand, step: int, shapes: Shapes) -> bool:
    """Whether a row may hold all threads of a vector."""
    number = signed_value(divisor) if isinstance(divisor, Const) else None
    return _is_same(divisor, shapes) and (number is None or number > step * (shapes.width - 1))


def _is_positive(operand: Operand) -> bool:
    number = signed_value(operand) if isinstance(operand, Const) else None
    return number is not None and number > 0


def _is_product_of_halves(op: Op, definitions: dict[Value, Op]) -> bool:
    """A product of two numbers of 32 bits, in 64."""
    return op.result.type == "i64" and all(_is_half(each, definitions) for each in op.operands)


def _is_half(operand: Operand, definitions: dict[Value, Op]) -> bool:
    if isinstance(operand, Const):
        return isinstance(operand.value, int) and operand.value >> 32 == 0
    made = definitions.get(operand)
    return made is not None and made.name == "zext" and types.bits(made.operands[0].type) <= 32


def _keeps_all_bits(op: Op, definitions: dict[Value, Op]) -> bool:
    """Whether `op` makes a number narrower that was shifted by as much."""
    made = definitions.get(op.operands[0]) if isinstance(op.operands[0], Value) else None
    amount = made.operands[1] if made is not None and made.name == "lshr" else None
    lost = types.bits(op.operands[0].type) - types.bits(op.result.type)
    return isinstance(amount, Const) and isinstance(amount.value, int) and amount.value >= lost


# -- functions that do not fall ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Functions:
    """Which of some ops, in program order, are functions of an index that do not fall, and their ends in a vector."""

    shapes: Shapes
    lane: Value
    ops: Sequence[Op]
    build: Builder
    most: int  # from thread to thread, of an index
    inside: set[Value] = field(default_factory=set[Value])  # what `ops` define, of which `shapes` knows nothing
    definitions: dict[Value, Op] = field(default_factory=dict[Value, Op])
    same: set[Value] = field(default_factory=set[Value])  # of what `ops` define: alike in all threads
    rising: set[Value] = field(default_factory=set[Value])
    stepping: set[Value] = field(default_factory=set[Value])  # of these: what may stay the same for many threads
    claims: list[Operand] = field(default_factory=list[Operand])
    copies: dict[Value, Operand] = field(default_factory=dict[Value, Operand])
    found: dict[Operand, tuple[Operand, Operand]] = field(default_factory=dict[Operand, tuple[Operand, Operand]])
    indices: dict[Value, tuple[Value, Value]] = field(
        default_factory=dict[Value, tuple[Value, Value]]
    )  # and their ends

    def __post_init__(self) -> None:
        self.inside = {value for op in self.ops for each in walk_op(op) for value in each.results}
        written = False
        for op in self.ops:
            written |= not leaves_memory(op)
            if not (is_arithmetic(op) or (is_plain_load(op) and not written)):
                continue
            self.definitions[op.result] = op
            if all(map(self.is_same, op.operands)):
                self.same.add(op.result)
            elif self._rises(op):
                self.rising.add(op.result)
                if op.name in _STEPS or not self.stepping.isdisjoint(op.operands):
                    self.stepping.add(op.result)

    def is_same(self, operand: Operand) -> bool:
        if operand in self.inside:
            return operand in self.same
        return _is_same(operand, self.shapes)

    def is_rising(self, operand: Operand) -> bool:
        if operand in self.inside:
            return operand in self.rising
        return 0 < _step(operand, self.shapes) <= self.most

    def _rises(self, op: Op) -> bool:
        if not types.is_int(op.result.type) or not all(
            self.is_same(each) or self.is_rising(each) for each in op.operands
        ):
            return False
        if op.name in ("zext", "add"):
            return True
        if op.name == "mul":
            return _is_product_of_halves(op, self.definitions)
        if op.name == "trunc":
            return _keeps_all_bits(op, self.definitions)
        if op.name == "select":
            return self.is_same(op.operands[0])
        return op.name in _STEPS and self.is_same(op.operands[1])

    def outside(self, operand: Operand) -> Operand:
        """What is the same in all threads, in front of `ops`."""
        op = self.definitions.get(operand) if isinstance(operand, Value) else None
        if op is None or not isinstance(operand, Value):
            return operand
        if operand not in self.copies:
            mapping = {each: self.outside(each) for each in op.operands if isinstance(each, Value)}
            self.copies[operand] = self.build.add(clone_op(op, mapping)).result
        return self.copies[operand]

    def ends(self, operand: Operand) -> tuple[Operand, Operand]:
        """What the first and the last thread of a vector have, whether active or not."""
        if operand not in self.found:
            self.found[operand] = self._ends(operand)
        return self.found[operand]

    def _ends(self, operand: Operand) -> tuple[Operand, Operand]:
        if self.is_same(operand):
            return self.outside(operand), self.outside(operand)
        op = self.definitions.get(operand) if isinstance(operand, Value) else None
        if op is None:
            return self._ends_of_index(operand)
        ends = list(zip(*(self.ends(each) for each in op.operands), strict=True))
        attrs = {key: value for key, value in op.attrs.items() if key != "flags"}
        first, last = (self.build.op(op.name, list(each), op.result.type, **attrs) for each in ends)
        if op.name == "add":
            self.claims.append(self.build.op("icmp", [last, ends[1][1]], "i1", pred="uge"))
        if op.name == "sdiv":
            self._claim_positive(ends[1][0], 0)
            self._claim_positive(ends[1][1], 1)
        return first, last

    def _ends_of_index(self, index: Operand) -> tuple[Operand, Operand]:
        lane, step = self.lane, _step(index, self.shapes)
        if index.type == "i64":
            lane = self.build.op("zext", [lane], "i64")
        if step > 1:
            lane = self.build.op("mul", [lane, int_const(index.type, step)], index.type)
        first = self.build.op("sub", [index, lane], index.type, "first")
        last = self.build.op("add", [first, int_const(index.type, step * (self.shapes.width - 1))], index.type, "last")
        self.claims.append(self.build.op("icmp", [first, last], "i1", pred="ule"))
        assert isinstance(index, Value)
        self.indices[index] = first, last
        return first, last

    def _claim_positive(self, operand: Operand, least: int) -> None:
        least_ = int_const(operand.type, least)
        self.claims.append(self.build.op("icmp", [operand, least_], "i1", pred="sge"))

    def steps(self) -> list[Op]:
        """The last ops of functions that may have one value for many threads."""
        last: dict[Value, None] = {}
        for op in (inner for each in self.ops for inner in walk_op(each)):
            if self.stepping.isdisjoint(op.results):
                last.update((each, None) for each in op.operands if isinstance(each, Value) and each in self.stepping)
        return [self.definitions[value] for value in last]

    def remainders(self) -> list[Op]:
        """The remainders of what counts on that may be computed in front of `ops`, where nothing is divided by zero."""
        divided = [op.operands for op in self.ops if op.name in DIVISIONS]
        return [
            op
            for each in self.ops
            for op in walk_op(each)
            if op.name in ("urem", "srem") and self.is_rising(op.operands[0]) and self.is_same(op.operands[1])
            if op.operands in divided or _is_positive(op.operands[1])
        ]


# -- rewriting --------------------------------------------------------------------------------------------------------


def _version(region: Region, shapes: Shapes, lane: Value, loop: Op, in_front: list[Op]) -> RowChoice | None:
    """Write a version of what follows the first quotient in `region`: a choice, if any."""
    at = _place(region, shapes)
    if at is None or region.terminator.name != "yield":
        return None
    rest = region.body[at:]
    everything = [op for each in rest for op in walk_op(each)]
    accesses = (op for op in everything if op.name in ("load", "store"))
    if len(everything) > LARGEST or not any(is_scattered(op, shapes) for op in accesses):
        return None
    mapping: dict[Value, Operand] = {}
    copy = [clone_op(op, mapping) for op in rest]
    given = region.terminator.operands
    results = [mapping.get(each, each) if isinstance(each, Value) else each for each in given]
    front: list[Op] = []
    entered: Operand | None = None
    if rest[0].name == "while":
        entered, front, copy = _first_trip(copy)
    tested: list[Op] = []
    functions = _Functions(shapes, lane, copy, Builder(tested, rest[0].loc), _most(region, shapes))
    known = _same_for_all(functions)
    if not known:
        return None
    same, front = _asked(functions, known, entered, front, tested, rest[0])
    body = Region([], [*copy, Op("yield", results)])
    _put(body, known)
    for op in [each for each in body.ops if each.name == "while"]:
        _sums_from_zero(op, body)
    _remove_unused(body)
    if entered is not None and loop.name == "block":
        asked = rows_of_blocks.Asked(front[:-1], front[-1], functions.indices, lane, body, region)
        once = rows_of_blocks.ask_once(rows_of_blocks.Block(loop, shapes, in_front), asked)
        if once is not None:
            front, same = [*front[:-1], once], once.results[0]
    made = [Value(each.type) for each in given]
    versions = [body, Region([], [*rest, Op("yield", list(given))])]
    choice = Op("if", [same], [*made], {}, versions, rest[0].loc)
    region.ops[at:] = [*front, choice, region.terminator]
    region.terminator.operands = list(made)
    shapes.ranges.definitions.update({value: op for op in walk(region) for value in op.results})
    return RowChoice(choice, region, min(_step(each, shapes) for each in functions.indices))


def _same_for_all(functions: _Functions) -> dict[Op, Operand]:
    """The quotient that takes the place of each, and that of each remainder; claims say when."""
    known: dict[Op, Operand] = {}
    for op in functions.steps():
        first, last = functions.ends(op.result)
        functions.claims.append(functions.build.op("icmp", [first, last], "i1", pred="eq"))
        known[op] = first
    for op in functions.remainders():
        name = "udiv" if op.name == "urem" else "sdiv"
        (first, last), divisor = functions.ends(op.operands[0]), functions.outside(op.operands[1])
        one, other = (functions.build.op(name, [each, divisor], op.result.type) for each in (first, last))
        functions.claims.append(functions.build.op("icmp", [one, other], "i1", pred="eq"))
        if name == "sdiv":
            functions.claims += [
                functions.build.op("icmp", [each, int_const(op.result.type, least)], "i1", pred="sge")
                for each, least in ((last, 0), (divisor, 1))
            ]
        known[op] = one
    return known


def _asked(
    functions: _Functions, known: dict[Op, Operand], entered: Operand | None, front: list[Op], tested: list[Op], at: Op
) -> tuple[Operand, list[Op]]:
    """Whether all claims hold, and the ops that say so; what a loop's first trip computes only where there is one."""
    build = functions.build
    total: Operand = functions.claims[0]
    for each in functions.claims[1:]:
        total = build.op("and", [total, each], "i1")
    if entered is None:
        return total, [*front, *tested]
    quotients = list(known.values())
    build.terminate("yield", [total, *quotients])
    nothing = Op("yield", [FALSE, *(Const(each.type, "poison") for each in quotients)])
    results = [Value("i1", "same"), *(Value(each.type, "quotient") for each in quotients)]
    known.update(zip(known, results[1:], strict=True))
    choice = Op("if", [entered], [*results], {}, [Region([], tested), Region([], [nothing])], at.loc)
    return results[0], [*front, choice]


def _first_trip(ops: list[Op]) -> tuple[Operand, list[Op], list[Op]]:
    """Whether the loop that `ops` begin with has a trip, what that takes, and `ops` with the trip in front."""
    loop, *rest = ops
    before, after = loop.regions
    mapping: dict[Value, Operand] = dict(zip(before.params, loop.operands, strict=True))

    def mapped(operands: Sequence[Operand]) -> list[Operand]:
        return [mapping.get(each, each) if isinstance(each, Value) else each for each in operands]

    test = [clone_op(op, mapping) for op in before.body]
    entered, *passed = mapped(before.terminator.operands)
    mapping.update(zip(after.params, passed, strict=True))
    trip = [clone_op(op, mapping) for op in after.body]
    loop.operands = mapped(after.terminator.operands)
    return entered, test, [*trip, loop, *rest]


def _put(body: Region, known: dict[Op, Operand]) -> None:
    """Use what is known."""
    replaced: dict[Value, Operand] = {}
    _put_into(body, known, replaced)
    replace_uses(body, replaced)


def _put_into(body: Region, known: dict[Op, Operand], replaced: dict[Value, Operand]) -> None:
    ops: list[Op] = []
    for op in body.ops:
        for inner in op.regions:
            _put_into(inner, known, replaced)
        if op in known and op.name in ("urem", "srem"):
            index, divisor = op.operands
            build = Builder(ops, op.loc)
            whole = build.op("mul", [known[op], divisor], op.result.type)
            flags = ("nsw",) if op.name == "srem" else ()
            build.add(Op("sub", [index, whole], op.results, {"flags": flags} if flags else {}, [], op.loc))
            continue
        if op in known:
            replaced[op.result] = known[op]
        ops.append(op)
    body.ops = ops


def _sums_from_zero(loop: Op, body: Region) -> None:
    """Sums that `loop` carries start with 0, and get what they started with behind it."""
    before, after = loop.regions
    uses = uses_of(Region([], [loop]))
    _, *passed = before.terminator.operands
    for number, param in enumerate(before.params):
        place = next((place for place, each in enumerate(passed) if each is param), None)
        start, end = loop.operands[number], after.terminator.operands[number]
        if place is None or isinstance(start, Const) or not types.is_int(param.type) or len(uses[param]) != 1:
            continue
        adds = [op for op, _ in uses.get(after.params[place], [])]
        if len(adds) != 1 or adds[0].name != "add" or adds[0].results != [end] or len(uses[adds[0].result]) != 1:
            continue
        if flags_of(adds[0]):
            del adds[0].attrs["flags"]
        loop.operands[number] = int_const(param.type, 0)
        total, loop.results[place] = loop.results[place], Value(param.type, param.name)
        added = Op("add", [loop.results[place], start], [total], {}, [], loop.loc)
        body.ops.insert(body.ops.index(loop) + 1, added)


def _remove_unused(body: Region) -> None:
    """Take out what the quotients were computed from."""
    used = {operand for op in walk(body) for operand in op.operands}
    for op in reversed(body.body):
        if not op.regions and is_removable(op) and used.isdisjoint(op.results):
            body.ops.remove(op)
            used = {operand for each in walk(body) for operand in each.operands}
