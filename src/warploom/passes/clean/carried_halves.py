# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two numbers that a loop carries as the halves of one are carried by themselves.

    %pair: i64 = while 0:i64 { (%v: i64) ...               %lo: i32, %hi: i32 = while 0:i32, 0:i32 { (%l: i32, %h: i32)
      %a: i32 = trunc %v                                     ...
      %b: i64 = lshr %v, 32                          ==>
      ... %x, %y from %a and %b ...
      %n: i64 = add (shl (zext %y), 32), (zext %x)
      yield %n }                                             yield %x, %y }

A structure of two numbers of 32 bits that a function returns is one of 64 to clang, as the machine's calling convention
has it; where the function is inlined and its loop works on the structure, the loop carries that. So nobody sees that
each half counts on, or is a condition, or the same for all threads.

Sound because each of the values that are connected by control flow is put together from two halves or constant, and all
that is ever asked of them is one half. The pair itself, carried on, has no use any more (canonicalise.py takes it out).
"""

from __future__ import annotations

from warploom.ir import types
from warploom.ir.core import Const, Function, Op, Operand, Value, is_undefined, replace_uses, walk
from warploom.passes.base import Context, Pass
from warploom.passes.clean.passed_on import passed_on, with_known_sources
from warploom.passes.contracts import STRUCTURED

NAME = "carried_halves"
_LOW = (1 << 32) - 1
Pair = tuple[Operand, Operand]


def is_half(op: Op) -> bool:
    """Whether `op` takes one half of its first operand."""
    if op.name == "trunc":
        return op.result.type == "i32"
    number = op.operands[1] if len(op.operands) == 2 else None
    return isinstance(number, Const) and (op.name, number.value) in (("lshr", 32), ("and", _LOW))


def halves_of(operand: Operand, definitions: dict[Value, Op], pairs: dict[Value, Pair] | None = None) -> Pair | None:
    """The lower and the upper half that `operand` is put together from; None where that is not known."""
    if isinstance(operand, Const):
        if is_undefined(operand):
            return Const("i32", operand.value), Const("i32", operand.value)
        number = operand.value
        return (Const("i32", number & _LOW), Const("i32", number >> 32)) if isinstance(number, int) else None
    if pairs is not None and operand in pairs:
        return pairs[operand]
    op = definitions.get(operand)
    if op is None or op.name not in ("add", "or", "zext", "shl"):
        return None
    if op.name == "zext":
        return (op.operands[0], Const("i32", 0)) if op.operands[0].type == "i32" else None
    upper = _upper(op, definitions)
    if upper is not None:
        return Const("i32", 0), upper
    for one, other in (op.operands, op.operands[::-1]):
        lower = definitions.get(one) if isinstance(one, Value) else None
        shifted = definitions.get(other) if isinstance(other, Value) else None
        if lower is None or shifted is None or lower.name != "zext" or lower.operands[0].type != "i32":
            continue
        upper = _upper(shifted, definitions)
        if upper is not None:
            return lower.operands[0], upper
    return None


def _upper(op: Op, definitions: dict[Value, Op]) -> Operand | None:
    """What `op` shifts up as a half."""
    if op.name != "shl" or op.operands[1] != Const("i64", 32):
        return None
    made = definitions.get(op.operands[0]) if isinstance(op.operands[0], Value) else None
    return made.operands[0] if made is not None and made.name == "zext" and made.operands[0].type == "i32" else None


def separable(ops: list[Op], definitions: dict[Value, Op]) -> set[Value]:
    """The values that control flow passes on as two halves."""
    edges = [(holder, at, value) for op in ops if op.name != "select" for holder, at, value in passed_on(op)]
    edges = [edge for edge in edges if edge[2].type == "i64"]
    places = {(id(holder), at) for holder, at, _ in edges}
    found = {value for _, _, value in edges}
    for op in ops:
        for at, each in enumerate(op.operands):
            if each in found and (id(op), at) not in places and not (is_half(op) and at == 0):
                found -= {each}
    return with_known_sources(edges, found, lambda source: halves_of(source, definitions) is not None)


def _carry(op: Op, pairs: dict[Value, Pair], definitions: dict[Value, Op]) -> None:
    """Let `op` pass on halves beside their pairs."""

    def add(values: list[list[Value]], sources: list[tuple[Op, int]]) -> None:
        for number in range(len(values[0])):
            if values[0][number] not in pairs:
                continue
            for holder, first in sources:
                halves = halves_of(holder.operands[first + number], definitions, pairs)
                assert halves is not None, "separable"
                holder.operands += halves
            for each in values:
                low, high = pairs[each[number]]
                assert isinstance(low, Value)
                assert isinstance(high, Value)
                each += [low, high]

    if op.name == "if":
        add([op.results], [(region.terminator, 0) for region in op.regions])
    elif op.name == "while":
        before, after = op.regions
        add([before.params], [(op, 0), (after.terminator, 0)])
        add([after.params, op.results], [(before.terminator, 1)])
    elif op.name == "for":
        counter, *carried = op.region.params
        add([carried, op.results], [(op, 3), (op.region.terminator, 0)])
        op.region.params = [counter, *carried]


def run(function: Function, context: Context) -> bool:
    """Carry halves by themselves in `function`."""
    ops = list(walk(function.body))
    if not any(is_half(op) and types.bits(op.operands[0].type) == 64 for op in ops if op.operands and op.results):
        return False
    definitions = {value: op for op in ops for value in op.results}
    found = separable(ops, definitions)
    halves = [op for op in ops if op.operands and op.operands[0] in found and is_half(op)]
    if not halves:
        return False
    pairs: dict[Value, Pair] = {each: (Value("i32", each.name), Value("i32", each.name)) for each in found}
    for op in ops:
        _carry(op, pairs, definitions)
    mapping: dict[Value, Operand] = {}
    for op in halves:
        source = op.operands[0]
        assert isinstance(source, Value)
        low, high = pairs[source]
        if op.name == "trunc":
            mapping[op.result] = low
        else:
            op.name, op.operands, op.attrs = "zext", [high if op.name == "lshr" else low], {}
    replace_uses(function.body, mapping)
    context.remark(
        NAME, "two numbers of 32 bits that a loop carries as one of 64 are carried by themselves", function.loc
    )
    return True


CARRIED_HALVES = Pass(NAME, run, requires=(STRUCTURED,))
