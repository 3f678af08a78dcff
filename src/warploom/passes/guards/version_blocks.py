# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Versioning of blocks: those whose threads all pass a range test get code without the test.

    grid %gdx, ... { (%bx, ...)                   grid %gdx, ... { (%bx, ...)
      block 256, 1, 1 { (%tx, ...)                  %whole = %bx * 256 + 255 < %n        (i64)
        %i = add (mul %bx, 256), %tx                if %whole {
        %c = icmp %i < %n                   ==>       block 256, 1, 1 { ... true in place of %c ... }
        ... %c ... barrier ... %c ...               } {
      }                                               block 256, 1, 1 { ... as it was ... }
    }                                               }
                                                  }

Of a grid nearly all blocks lie wholly within the data: no thread of theirs passes a test for its edge (%i < 1), all
pass the others. Their threads need no masks, and where a condition is used on
both sides of a barrier, nothing of it has to be kept. Of a block with barriers only the parts that are about the test,
or compare with what is clamped to the data, are written twice (block_parts.py). What a block asks is whether its
threads at the corners pass: what is compared are exact linear functions of the thread ids (analysis/exact_linear.py),
which have their extremes there. A sum that may wrap asks for that as well: then nothing wraps in the blocks that
answer yes.

Sound because the comparison has one value for all threads of such a block, and is replaced by that value. A comparison
that is poison may be replaced by anything.
"""

from __future__ import annotations

from warploom.analysis.bounded_forms import minimum_or_maximum
from warploom.analysis.exact_linear import MAX_DEPTH, Exact, Linear, Ranges, Shared, combine, constant
from warploom.analysis.integers import fits, type_range
from warploom.analysis.sums import Sum
from warploom.core.deferred import deferred
from warploom.core.records import dataclass, field
from warploom.core.type_names import TYPE_CHECKING
from warploom.ir import types
from warploom.ir.core import (
    FALSE,
    TRUE,
    Const,
    Function,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    defined_in,
    flags_of,
    replace_uses,
    walk,
    walk_op,
)
from warploom.ir.ops import PARTIAL, levels_in
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import GRIDS_SPLIT, NO_PHASE_WAITS, ONE_LOOP_A_GRID, SCALAR
from warploom.passes.guards.thread_guards import SWAPPED, Preheader, depends_on_block, guarding_if, parts_of

if TYPE_CHECKING:
    from warploom.passes.guards import block_parts
else:
    block_parts = deferred("warploom.passes.guards.block_parts")

NAME = "version_blocks"
LARGEST = 400  # ops of a block that is worth writing twice
LARGEST_ANY = 100  # and in the code for any block size, which launches seen in the program do not use
MOST_TESTS = 8
WIDEST_EDGE = 16  # elements that an edge of the data is wide, at most
_SUMS = frozenset("add sub xor sext zext trunc freeze".split())


@dataclass(frozen=True, slots=True)
class Claim:
    """left <= right, over the integers and for all threads of a block; both fit into 64 bits."""

    left: Linear
    right: Linear

    def margin(self) -> int:
        """By how much the constants alone keep it."""
        return self.right.constant - self.left.constant


@dataclass(frozen=True, slots=True)
class Lifted:
    """A linear form, and what must hold for it to be exact; then `steps` do not wrap as LLVM's flag says."""

    form: Linear
    claims: tuple[Claim, ...] = ()
    steps: tuple[tuple[Op, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Test:
    """`own` makes a comparison `answer` for all threads of a block, where `others` make its sides exact."""

    own: Claim
    others: tuple[Claim, ...]
    steps: tuple[tuple[Op, str], ...]
    answer: Const = TRUE

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All that must hold."""
        return (*self.others, self.own)


@dataclass(slots=True)
class _Claiming:
    """Linear forms under claims."""

    exact: Exact
    block: Op
    lifted: dict[tuple[Operand, bool], Lifted | None] = field(default_factory=dict[tuple[Operand, bool], Lifted | None])

    def lift(self, operand: Operand, signed: bool, depth: int = 0) -> Lifted | None:
        """`operand`, read as signed or unsigned."""
        if depth > MAX_DEPTH or not types.is_int(operand.type) or types.bits(operand.type) > 64:
            return None
        if (operand, signed) not in self.lifted:
            plain = self.exact.lift(operand, signed)
            found = Lifted(plain) if plain is not None else self._lift(operand, signed, depth + 1)
            self.lifted[operand, signed] = found
        return self.lifted[operand, signed]

    def _lift(self, operand: Operand, signed: bool, depth: int) -> Lifted | None:
        op = self.exact.ranges.definitions.get(operand) if isinstance(operand, Value) else None
        if op is None or op.regions:
            return None
        if op.name in ("sext", "zext"):
            inner = self.lift(op.operands[0], op.name == "sext", depth)
            return inner and self._within(inner, op.result.type, signed)
        if op.name not in ("add", "sub", "mul", "shl"):
            return None
        left, right = (self.lift(each, signed, depth) for each in op.operands)
        total = combine(op, left.form, right.form) if left is not None and right is not None else None
        if left is None or right is None or total is None:
            return None
        steps = (*left.steps, *right.steps, (op, "nsw" if signed else "nuw"))
        return self._within(Lifted(total, left.claims + right.claims, steps), op.result.type, signed)

    def _within(self, lifted: Lifted, type_: str, signed: bool) -> Lifted:
        """`lifted` under the claim that a type holds it."""
        form, (low, high) = lifted.form, type_range(type_, signed)
        found = list(lifted.claims)
        if form.high > high:
            found.append(self.claim(form, constant(high)))
        if form.low < low:
            found.append(self.claim(constant(low), form))
        within = Linear(form.sum, max(form.low, low), min(form.high, high))
        return Lifted(within, tuple(found), lifted.steps)

    def claim(self, left: Linear, right: Linear) -> Claim:
        """left <= right, with the thread for which that is hardest."""
        left = self._at_corner(left.plus(_threads_of(right), -1))
        return Claim(left, self.exact.without_threads(right))

    def _at_corner(self, form: Linear) -> Linear:
        """The largest value of `form` over all threads."""
        total = self.exact.without_threads(form)
        for id_, factor in form.threads.items():
            if factor > 0:
                size = self.block.operands[self.block.region.params.index(id_)]
                most = self.exact.lift(size, signed=False)
                assert most is not None, "a block's size is outside of it"
                total = total.plus(most.plus(constant(1), -1).times(factor))
        return total

    def test(self, op: Op) -> Test | None:
        """The comparison `op` as a test of whole blocks; None where that cannot be asked."""
        predicate = str(op.attrs["pred"])
        relation = predicate[-2:]
        if relation not in SWAPPED or relation in ("eq", "ne"):
            return None
        sides = [self.lift(each, predicate[0] == "s") for each in op.operands]
        if relation[0] == "g":
            sides.reverse()
        left, right = sides
        if left is None or right is None or not (left.form.threads or right.form.threads):
            return None
        below = left.form.plus(constant(1)) if relation[1] == "t" else left.form  # at most `right`
        own, answer = self.claim(below, right.form), TRUE
        if _is_at_edge(below, right.form):
            own, answer = self.claim(right.form.plus(constant(1)), below), FALSE
        found = Test(own, left.claims + right.claims, left.steps + right.steps, answer)
        return found if all(_fits_64(side) for each in found.claims for side in (each.left, each.right)) else None


def _is_at_edge(left: Linear, right: Linear) -> bool:
    """Whether left <= right only near where the data begins, as of `column < 1`: of most blocks no thread is there."""
    return not right.shared and not right.threads and bool(left.shared) and right.constant <= WIDEST_EDGE


def _threads_of(form: Linear) -> Linear:
    return Linear(Sum(0, {**form.threads}), 0, 0)


def _fits_64(form: Linear) -> bool:
    """Whether `form` and its parts, in any order, are 64-bit numbers."""
    return fits((form.low - abs(form.constant), form.high + abs(form.constant)), type_range("i64", True))


# -- questions --------------------------------------------------------------------------------------------------------


def left_to_ranges(block: Op, tests: dict[Op, Test], definitions: dict[Value, Op]) -> bool:
    """Whether all of `tests` are parts of the guard of the whole loop, which becomes its bound (hoist_ranges.py)."""
    guard = guarding_if(block)
    if guard is None or levels_in(block):
        return False
    first = guard.regions[0].body
    parts = {part.value for part in parts_of(guard.operands[0], bool(first), definitions)}
    return all(op.result in parts for op in tests)


def is_of_clamps(test: Test, definitions: dict[Value, Op]) -> bool:
    """Whether a test compares with a number that is clamped, as to the part of a tile that lies within the data.

    The other tests say where no clamp applies, and what follows from that is for use_guards.py. Asked for by itself it
    may be what no block ever answers with yes: `tx < first`, where `first` is 0 in all blocks but those at the edge.
    """
    shared = (*test.own.left.shared, *test.own.right.shared)
    return any(is_clamped(each.value, definitions) for each in shared)


def is_clamped(value: Operand, definitions: dict[Value, Op], depth: int = 0) -> bool:
    """Whether `value` is a choice between numbers, or a sum with one in it."""
    op = definitions.get(value) if isinstance(value, Value) else None
    if op is None or depth > MAX_DEPTH:
        return False
    if op.name == "select" or minimum_or_maximum(op) is not None:
        return True
    return op.name in _SUMS and any(is_clamped(each, definitions, depth + 1) for each in op.operands)


# -- rewriting --------------------------------------------------------------------------------------------------------


def tests_of(block: Op, grid: Op, ranges: Ranges) -> dict[Op, Test]:
    """The comparisons in `block` that all threads of most blocks answer alike, and what makes them do so."""
    exact = Exact(ranges, frozenset(block.region.params), defined_in(block))
    claiming = _Claiming(exact, block)
    blocks = set(grid.region.params)
    found: dict[Op, Test] = {}
    for op in walk_op(block):
        if op.name == "icmp" and types.is_int(op.operands[0].type):
            test = claiming.test(op)
            if test and depends_on_block(test.own.left.plus(test.own.right), blocks, ranges.definitions):
                found[op] = test
    return found


def hardest(claims: list[Claim]) -> list[Claim]:
    """Of claims that differ in constants only, the one that the others follow from."""
    found: dict[tuple[frozenset[tuple[Shared, int]], ...], Claim] = {}
    for claim in claims:
        key = tuple(frozenset(side.shared.items()) for side in (claim.left, claim.right))
        other = found.get(key)
        if other is None or claim.margin() < other.margin():
            found[key] = claim
    return list(found.values())


def _ask(claims: list[Claim], exact: Exact, ops: list[Op], at: Op) -> Operand:
    """Whether all of `claims` hold."""
    before = Preheader(exact, ops, at, certain=False)
    total: Operand | None = None
    for claim in hardest(claims):
        sides: list[Operand] = [before.sum(claim.left), before.sum(claim.right)]
        holds = before.op("icmp", sides, "i1", pred="sle")
        total = holds if total is None else before.op("and", [total, holds], "i1")
    assert total is not None, "a test without claims"
    return total


def version(block: Op, grid: Op, ranges: Ranges) -> list[Op] | None:
    """What takes the place of `block`; None where it stays."""
    most = LARGEST if ranges.function.facts.block is not None else LARGEST_ANY
    if sum(1 for _ in walk_op(block)) > most:
        return None
    found = tests_of(block, grid, ranges)
    plain = {op: test for op, test in found.items() if not is_of_clamps(test, ranges.definitions)}
    tests = plain or found
    if not tests or len(tests) > MOST_TESTS or left_to_ranges(block, tests, ranges.definitions):
        return None
    ops: list[Op] = []
    exact = Exact(ranges, frozenset(block.region.params), defined_in(block))
    whole = _ask([claim for test in tests.values() for claim in test.claims], exact, ops, block)
    for part in block_parts.cut(block, found.keys()):
        plain = _part(clone_op(block, {}), part)
        if part.is_about:
            plain.attrs[PARTIAL] = True
            sides = [Region([], [each, Op("yield")]) for each in (_part(_without_tests(block, tests), part), plain)]
            ops.append(Op("if", [whole], [], {}, sides, block.loc))
        else:
            ops.append(plain)
    return ops


def _part(copy: Op, part: block_parts.Part) -> Op:
    """What a part of a block has of a copy of it."""
    region = copy.region
    region.ops = [*(region.ops[number] for number in part.ops), region.terminator]
    return copy


def _without_tests(block: Op, tests: dict[Op, Test]) -> Op:
    """`block` for threads that all answer as the tests claim."""
    mapping: dict[Value, Operand] = {}
    copy = clone_op(block, mapping)
    made = {value: op for op in walk_op(copy) for value in op.results}
    known: dict[Value, Operand] = {}
    for op, test in tests.items():
        known[_value(mapping[op.result])] = test.answer
        for step, flag in test.steps:
            same = made[_value(mapping[step.result])]
            same.attrs["flags"] = tuple(dict.fromkeys((*flags_of(same), flag)))
    for region in copy.regions:
        replace_uses(region, known)
    return copy


def _value(operand: Operand) -> Value:
    assert isinstance(operand, Value), "a copy of a value is a value"
    return operand


def run(function: Function, context: Context) -> bool:
    """Write the threads of all blocks of `function` twice where that pays."""
    changed = False
    ranges = Ranges(function)
    for grid in [op for op in walk(function.body) if op.name == "grid"]:
        for block in [op for op in grid.region.ops if op.name == "block"]:
            made = version(block, grid, ranges)
            if made is not None:
                at = grid.region.ops.index(block)
                grid.region.ops[at : at + 1] = made
                context.remark(NAME, "blocks whose threads all pass the range tests run code without them", block.loc)
                changed = True
    if changed:
        ranges.note_limits()
    return changed


VERSION_BLOCKS = Pass(NAME, run, requires=(SCALAR, NO_PHASE_WAITS, GRIDS_SPLIT), breaks=(ONE_LOOP_A_GRID,))
