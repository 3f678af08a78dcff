# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deliberate errors, one or two for each part of the compiler that could give a wrong answer in silence.

Chosen by going through passes, analyses and backend in the order of their names: where a file asks a question whose
answer "yes" lets it change the program, the question goes, or is off by one, or a mask, flag or sign is the other way.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    """In `file` (below src/warploom) `old` becomes `new`; `breaks`: what goes wrong then."""

    file: str
    old: str
    new: str
    breaks: str


MUTATIONS = (
    Mutation(
        "analysis/barrier_effects.py",
        "if collective_level(barrier) is not Level.WARP:\n            return True",
        "if collective_level(barrier) is not None:\n            return True",
        "a warp's barrier is taken to order the block's memory",
    ),
    Mutation(
        "analysis/bounded_forms.py",
        "return self.most(left.plus(right, -1)) <= 0",
        "return self.most(left.plus(right, -1)) <= 1",
        "off by one in what conditions prove",
    ),
    Mutation(
        "analysis/exact_linear.py",
        "self.elements *= -(-most // LAUNCH_LIMIT)",
        "self.elements *= most // LAUNCH_LIMIT",
        "a launch may have more elements than 32-bit numbers of them allow",
    ),
    Mutation(
        "analysis/integers.py",
        "return outer[0] <= inner[0] and inner[1] <= outer[1]",
        "return inner[1] <= outer[1]",
        "a range is not asked for its lower end",
    ),
    Mutation(
        "analysis/injective.py",
        "(low >= b_size or high <= -a_size)",
        "(low >= b_size - 1 or high <= -a_size)",
        "accesses that overlap by a byte are apart",
    ),
    Mutation(
        "analysis/injective.py",
        "return where.is_stable(value) and self.uniformity.rank(value) >= BLOCK",
        "return where.is_stable(value)",
        "a value that differs between threads is taken for fixed",
    ),
    Mutation(
        "analysis/lanes.py",
        "return fits(range_of_op(op.name, left, right), type_range(op.result.type, signed=True))",
        "return True",
        "32-bit sums are taken not to wrap",
    ),
    Mutation(
        "analysis/memory.py",
        "return not closed or known in self.pointers.exposed",
        "return not closed",
        "an unknown pointer is taken not to lead to exposed shared or private memory",
    ),
    Mutation(
        "analysis/memory.py",
        "return outside and a.key not in self.noalias and b.key not in self.noalias",
        "return False",
        "two pointer parameters are taken not to overlap",
    ),
    Mutation(
        "analysis/memory.py",
        "if not _is_write(a, b) or PRIVATE in (a.object.kind, b.object.kind):",
        "if not (a.writes and b.writes) or PRIVATE in (a.object.kind, b.object.kind):",
        "a load of one thread and a store of another are taken not to conflict",
    ),
    Mutation(
        "analysis/strided_groups.py",
        "return any(self._meets(op, each) for each in open_.group.members)",
        "return False",
        "a strided group of stores waits past a load that meets it",
    ),
    Mutation(
        "analysis/uniformity.py",
        "self._sink(result, max(floor, min(same, self.rank(x), self.rank(y))))",
        "self._sink(result, max(floor, min(self.rank(x), self.rank(y))))",
        "what a divergent `if` yields is taken for uniform",
    ),
    Mutation(
        "analysis/uniformity.py",
        'return shuffle.attrs.get("kind") == "idx" and width == _FULL_WIDTH and self.rank(lane) >= WARP',
        'return shuffle.attrs.get("kind") == "idx" and width == _FULL_WIDTH',
        "any shuffle by index is taken for a broadcast",
    ),
    Mutation(
        "analysis/warp_lanes.py",
        "return self.full and not any(self._parts(each) for each in self.around[op])",
        "return self.full",
        "a shuffle in divergent code is taken for one of all lanes",
    ),
    Mutation(
        "backend/dead_stores.py",
        "plain = _is_plain(module, user) and not place.elsewhere",
        "plain = _is_plain(module, user)",
        "a store that may go elsewhere is dropped",
    ),
    Mutation(
        "backend/gpu_arithmetic.py",
        "largest = lib.LLVMConstInt(type_, bits - 1, 0)",
        "largest = lib.LLVMConstInt(type_, bits - 2, 0)",
        "an arithmetic shift by too much leaves a bit",
    ),
    Mutation(
        "backend/loom_code.py",
        'self.names[op.result] = name = self.stack(op.result.name or "local", size, max(align, 1))',
        'self.names[op.result] = name = self.stack(op.result.name or "local", size, 1)',
        "private arrays lose their alignment",
    ),
    Mutation(
        "passes/shape/collapse_grid.py",
        "if kind in (Effect.COLLECTIVE, Effect.ORDER) or",
        "if kind is Effect.ORDER or",
        "threads of kernels with collectives are regrouped into other blocks",
    ),
    Mutation(
        "passes/clean/contract.py",
        "left, other = (negated.result, other) if number else (left, negated.result)",
        "left, other = (left, negated.result) if number else (negated.result, other)",
        "a fused difference has the wrong sign",
    ),
    Mutation(
        "passes/clean/cse.py",
        "key: Hashable = SWAPPED[pred] if swapped else pred",
        "key: Hashable = pred",
        "a < b and b < a are one",
    ),
    Mutation(
        "passes/clean/dead_code.py",
        "return not is_removable(op)",
        'return not is_removable(op) and op.name != "atomicrmw"',
        "atomics whose old value is unused go",
    ),
    Mutation(
        "passes/barrier/early_stores.py",
        "            if any(isinstance(action, Store) and action.slot is slot for action in node.actions):\n"
        "                return True\n",
        "",
        "a kept value is stored early past another store to its slot",
    ),
    Mutation(
        "passes/barrier/eliminate_barriers.py",
        "if self.budget < 0 or self.memory.conflict_across_threads(a, b):",
        "if self.budget < 0 or (a.writes and self.memory.conflict_across_threads(a, b)):",
        "a barrier between a load and another thread's later store goes",
    ),
    Mutation(
        "passes/barrier/crossing_values.py",
        "len(groups) > 1 or any(",
        "len(groups) > 2 or any(",
        "a private array that two loops over threads share gets no buffer",
    ),
    Mutation(
        "passes/clean/fold.py",
        'return isinstance(operand, Const) and operand.value == "poison"',
        'return isinstance(operand, Const) and operand.value in ("poison", 0)',
        "zero is taken for poison",
    ),
    Mutation(
        "passes/barrier/forward_across_barriers.py",
        "return self.budget < 0 or self.memory.conflict_across_threads(mine, theirs)",
        "return self.budget < 0",
        "a stored value is forwarded across a barrier though another thread writes there",
    ),
    Mutation(
        "passes/barrier/hoist_parallel.py",
        "return not any(writes.may_change(each) for each in reads)\n\n\ndef _is_block_local",
        "return True\n\n\ndef _is_block_local",
        "a load is hoisted before the stores that change it",
    ),
    Mutation(
        "passes/barrier/hoist_parallel.py",
        'return not op.attrs.get("volatile") and not op.attrs.get("ordering")',
        "return True",
        "volatile and atomic loads run once for all threads",
    ),
    Mutation(
        "passes/barrier/interchange.py",
        "if node.flag is None or needs_a_thread([*node.before, *node.after], poison):",
        "if needs_a_thread([*node.before, *node.after], poison):",
        "a loop that only its threads end runs where none takes part",
    ),
    Mutation(
        "passes/clean/loop_invariants.py",
        "for each in op.operands:",
        "for each in op.operands[:1]:",
        "only the first operand is asked whether it is invariant",
    ),
    Mutation(
        "passes/barrier/lower_collectives.py",
        'source = build.op("add" if kind == "down" else "xor", [lane, distance], "i32")',
        'source = build.op("add" if kind == "down" else "or", [lane, distance], "i32")',
        "a butterfly shuffle reads the wrong lane",
    ),
    Mutation(
        "passes/barrier/merge_parallel.py",
        "return not any(memory.conflict_across_threads(a, b) for a in before for b in after)",
        "return True",
        "loops over threads are merged though a barrier was between",
    ),
    Mutation(
        "passes/clean/narrow_booleans.py",
        'return is_byte(op.operands[0]) and op.operands[1] == _ZERO and op.attrs["pred"] in ("eq", "ne")',
        "return is_byte(op.operands[0]) and op.operands[1] == _ZERO",
        "any comparison of a byte with 0 is taken for one of truth",
    ),
    Mutation(
        "passes/shape/raise_loops.py",
        'return "nuw" in flags or ("nsw" in flags and _is_not_negative(start) and _is_not_negative(step))',
        "return True",
        "a counter that wraps is counted in a wider type",
    ),
    Mutation(
        "passes/barrier/recompute_conditions.py",
        "alike = one.name == other.name and len(one.operands) == len(other.operands) and attrs[0] == attrs[1]",
        "alike = one.name == other.name and len(one.operands) == len(other.operands)",
        "comparisons with other predicates are merged",
    ),
    Mutation(
        "passes/barrier/split_warps.py",
        'full = build.op("icmp", [rest, int_const("i32", WARP_SIZE)], "i1", pred="ult")',
        'full = build.op("icmp", [rest, int_const("i32", WARP_SIZE)], "i1", pred="ugt")',
        "the last warp has lanes that do not exist",
    ),
    Mutation(
        "passes/barrier/unroll.py",
        "            carried = self._region(op.region)\n            next_ =",
        "            self._region(op.region)\n            next_ =",
        "an unrolled loop forgets what it carries",
    ),
    Mutation(
        "passes/barrier/warp_ids.py",
        "return amount >= 5",
        "return amount >= 4",
        "half a warp is taken for a warp",
    ),
    Mutation(
        "passes/vector/widen.py",
        'self.build.op("select", [mask, condition, none], condition.type)',
        'self.build.op("or", [mask, condition], condition.type)',
        "threads that an outer condition leaves out take part in an inner one",
    ),
    Mutation(
        "passes/vector/widen_control.py",
        "facing = w.inverse if number else _itself",
        "facing = _itself",
        "the threads of `then` run `else` too",
    ),
    Mutation(
        "passes/guards/version_blocks.py",
        'below = left.form.plus(constant(1)) if relation[1] == "t" else left.form',
        "below = left.form",
        "the thread at the end of the data passes a test that is not asked for it",
    ),
    Mutation(
        "passes/guards/version_blocks.py",
        "        if form.low < low:\n            found.append(self.claim(constant(low), form))\n",
        "",
        "a difference that wraps below 0 is taken for exact",
    ),
    Mutation(
        "passes/guards/version_blocks.py",
        "own, answer = self.claim(right.form.plus(constant(1)), below), FALSE",
        "own, answer = self.claim(right.form, below), FALSE",
        "a block whose first thread lies at the edge counts as one within",
    ),
    Mutation(
        "passes/guards/launch_factors.py",
        '"icmp", [frozen[each], known[each]], "i1", pred="eq") for each in factors]',
        '"icmp", [frozen[each], known[each]], "i1", pred="eq") for each in factors[:1]]',
        "of two factors only one is asked for",
    ),
    Mutation(
        "passes/guards/unswitch.py",
        "for other in others:\n",
        "for other in others[:0]:\n",
        "of several choices only one is asked for",
    ),
    Mutation(
        "passes/guards/hoist_ranges.py",
        'start = before.threads_below(guard, old, guard.relation == "gt")',
        'start = before.threads_below(guard, old, guard.relation == "ge")',
        "the first thread of a range is off by one",
    ),
    Mutation(
        "passes/guards/use_guards.py",
        'op.operands[0] is not before.params[number] or "nsw" not in flags_of(op)',
        "op.operands[0] is not before.params[number]",
        "a counter that may wrap never falls below its start",
    ),
    Mutation(
        "passes/vector/interleaved.py",
        'op.operands[0] is not whole or op.attrs["mask"] != mask',
        "op.operands[0] is not whole",
        "fields that are stored in another order are in the order of memory",
    ),
    Mutation(
        "passes/vector/interleaved.py",
        "each.name != first.name or each.attrs != first.attrs for each in ops",
        "each.name != first.name for each in ops",
        "comparisons of different predicates are one",
    ),
    Mutation(
        "passes/vector/interleaved.py",
        "self.w, value, [(number * width + at) // count for at in range(width)], self.bits",
        "self.w, value, [(number * width + at) % width for at in range(width)], self.bits",
        "an element is stored by another thread's condition",
    ),
    Mutation(
        "passes/vector/rows_of_blocks.py",
        "fixed, times = fixed + times * (_known(count) - 1), 0",
        "fixed, times = fixed + times * (_known(count) - 2), 0",
        "the last thread of a block is not asked",
    ),
    Mutation(
        "passes/vector/row_versions.py",
        '            self.claims.append(self.build.op("icmp", [last, ends[1][1]], "i1", pred="uge"))\n',
        "            pass\n",
        "a sum that wraps within a vector is taken for one that rises",
    ),
    Mutation(
        "passes/vector/row_versions.py",
        'functions.claims.append(functions.build.op("icmp", [first, last], "i1", pred="eq"))',
        'functions.claims.append(functions.build.op("icmp", [first, last], "i1", pred="ule"))',
        "threads of different rows share the first one's",
    ),
    Mutation(
        "passes/vector/wide_division.py",
        'more = self._test("uge", rest, b)',
        'more = self._test("ugt", rest, b)',
        "quotients that are exact are one too small",
    ),
    Mutation(
        "passes/vector/piece_versions.py",
        "if value in op.results and (written or not _may_run_before(op)):",
        "if value in op.results and not _may_run_before(op):",
        "a number that a store may change is read in front of it",
    ),
    Mutation(
        "passes/vector/choose_loads.py",
        "            if not leaves_memory(op):\n                return None\n",
        "",
        "a load moves over a store",
    ),
    Mutation(
        "passes/clean/counted_bits.py",
        "self._of(shift.operands[0]) is x and shift.operands[1] == _int(x, 1)",
        "self._of(shift.operands[0]) is x",
        "a shift by several bits counts each of them",
    ),
    Mutation(
        "passes/tune/private_atomics.py",
        '"select": op.operands[1:]}',
        '"select": op.operands[1:2]}',
        "of two addresses only one is asked whether the block alone has it",
    ),
    Mutation(
        "passes/tune/interchange_strides.py",
        "return not calls and not arrays and not levels_in(self.op)",
        "return not calls and not levels_in(self.op)",
        "a private array is lost from trip to trip",
    ),
    Mutation(
        "ir/same_code.py",
        "return op.name, [self._operand(each) for each in op.operands], attrs",
        "return op.name, [self._operand(each) for each in op.operands], len(attrs)",
        "kernels that differ in a predicate are one",
    ),
)
