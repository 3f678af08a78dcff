# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What passes may do with an op: the questions that the columns `properties` of the table answer.

A pass that moves an op to where it did not run asks `is_speculatable`; one that computes something again, or uses one
op's result for another's, `is_duplicable`; one that drops ops `is_removable`; one that puts control around an op, or
takes it away, `is_convergent`. A pass has no list of its own for this.
"""

from __future__ import annotations

from warploom.ir.core import Const, Op, flags_of
from warploom.ir.ops import DIVISIONS, OPS, Effect, OpInfo, Property, is_plain_load
from warploom.ir.types import bits

_PROMISES = frozenset("nuw nsw exact disjoint nneg samesign nnan ninf fast".split())  # poison where one is broken
_CHOICES = frozenset("contract reassoc arcp afn nsz fast".split())  # LLVM makes them as the code around suggests

SLEEPS = frozenset(("__warploom_nanosleep", "__warploom_spin_point"))  # functions of the runtime
# Those for which all threads are alike.
ABI_WITHOUT_THREAD = frozenset(
    f"__warploom_{name}"
    for name in (
        "vprintf malloc clock64 globaltimer nanosleep spin_point is_cooperative dynamic_shared_size shared_memory"
        " cluster_dim_x cluster_dim_y cluster_dim_z cluster_memory_of_block cluster_rank_for_block"
    ).split()
)


def may_ask_for_thread(op: Op) -> bool:
    """Whether what `op` calls may want to know which thread calls it; it takes the loop's index for that."""
    if op.name == "call_indirect":
        return True
    if op.name != "call" or op.attrs.get("effects") == "none":
        return False
    callee = str(op.attrs["callee"])
    return not callee.startswith("llvm.") and callee not in ABI_WITHOUT_THREAD


def _with(wanted: Property) -> frozenset[str]:
    return frozenset(name for name, info in OPS.items() if info.properties & wanted)


def _of(wanted: Effect) -> frozenset[str]:
    return frozenset(name for name, info in OPS.items() if info.effect is wanted)


# Columns of the table as sets of names: passes ask these questions of every op.
_PURE, _SPECULATABLE, _DUPLICABLE = map(_with, (Property.PURE, Property.SPECULATABLE, Property.DUPLICABLE))
_CONVERGENT, _MAY_BE_POISON = map(_with, (Property.CONVERGENT, Property.MAY_BE_POISON))
_READS, _COLLECTIVES, _CALLS = map(_of, (Effect.READ, Effect.COLLECTIVE, Effect.CALL))
_ARITHMETIC = _of(Effect.PURE) | _of(Effect.CHECKED)
_FREE = (_of(Effect.PURE) & _SPECULATABLE) - _CONVERGENT - DIVISIONS  # speculatable whatever their attributes are
_FOLLOWING = _PURE - _CONVERGENT - _READS - _CALLS  # likewise, of follows_operands


def is_pure(op: Op) -> bool:
    """Whether `op` computes its results from its operands and does nothing else."""
    if op.name in _CALLS:
        return op.attrs.get("effects") == "none" and not op.attrs.get("noreturn") and not op.attrs.get("sideeffect")
    return _has(op, _PURE)


def is_arithmetic(op: Op) -> bool:
    """Whether `op` is pure by its name alone: no call and no load."""
    return op.name in _ARITHMETIC


def is_speculatable(op: Op) -> bool:
    """Whether `op`, which is pure, may run where it did not: anywhere its operands exist."""
    if op.name in _FREE:
        return True
    if is_convergent(op):
        return False
    if op.name in DIVISIONS:
        return divides_by_constant(op)
    if op.name in _CALLS:
        return op.attrs.get("effects") == "none" and bool(op.attrs.get("speculatable"))
    return _has(op, _SPECULATABLE)


def is_duplicable(op: Op) -> bool:
    """Whether `op`, which is pure, gives the same results each time: it may be computed again.

    Not so where flags leave LLVM a choice that depends on the code around: what is fused, reordered, approximated.
    """
    if not is_pure(op) or is_convergent(op) or not _has(op, _DUPLICABLE):
        return False
    return _CHOICES.isdisjoint(map(str, flags_of(op)))


def is_convergent(op: Op) -> bool:
    """Whether what `op` does depends on which threads come to it together."""
    if op.name not in _CONVERGENT:
        return False
    return op.name in _COLLECTIVES or bool(op.attrs.get("convergent"))


def follows_operands(op: Op) -> bool:
    """Whether threads that have equal operands get equal results from `op`: what all notions of uniformity ask.

    It computes, or loads plainly: a thread that wrote there between two threads' loads would be a data race.
    """
    if op.name in _FOLLOWING:
        return True
    return is_plain_load(op) or (is_pure(op) and not is_convergent(op) and op.name != "asm")


def may_make_poison(op: Op) -> bool:
    """Whether a result of `op` may be poison though no operand is."""
    if not _has(op, _MAY_BE_POISON):
        return False
    if op.attrs.get("inbounds") or not _PROMISES.isdisjoint(map(str, flags_of(op))):
        return True
    if op.name in ("shl", "lshr", "ashr"):
        amount = op.operands[1]
        return not (isinstance(amount, Const) and isinstance(amount.value, int) and amount.value < bits(amount.type))
    if op.name in ("extractelement", "insertelement"):
        return not isinstance(op.operands[-1], Const)
    if op.name == "shufflevector":
        mask = op.attrs["mask"]
        return isinstance(mask, tuple) and -1 in mask
    if op.name in _CALLS:
        return not str(op.attrs.get("callee")).startswith("llvm.") or Const("i1", 1) in op.operands
    return op.name in ("fptoui", "fptosi") or op.name in _READS


def _has(op: Op, names: frozenset[str]) -> bool:
    """Whether `op` is one of `names`; of what reads memory only where that is constant."""
    return op.name in names and (op.name not in _READS or bool(op.attrs.get("constant")))


def divides_by_constant(op: Op) -> bool:
    """Whether division `op` is defined for all dividends: its divisor is a constant, not 0, nor -1 where signed."""
    divisor = op.operands[1]
    if not isinstance(divisor, Const) or not isinstance(divisor.value, int):
        return False
    minus_one = (1 << int(divisor.type[1:])) - 1
    return divisor.value != 0 and (op.name in ("udiv", "urem") or divisor.value != minus_one)


def has_no_effect(info: OpInfo) -> bool:
    """Whether all ops of a line of the table may go when nothing uses their results, and terminators with what is
    around them."""
    return info.effect in (Effect.PURE, Effect.CHECKED, Effect.ALLOCATE, Effect.TERMINATOR)


def is_exchange(op: Op) -> bool:
    """Whether threads that wait for each other in `op` only tell each other values: may go when nothing uses what it
    gives. Only barriers order memory."""
    return OPS[op.name].effect is Effect.COLLECTIVE and op.name not in ("barrier", "barrier_reduce")


def lets_others_in(op: Op) -> bool:
    """Whether compilers load anew what was loaded before `op`, and threads write so that others see it."""
    return op.name in ("fence", "barrier") or (op.name == "call" and op.attrs.get("callee") in SLEEPS)


def is_removable(op: Op) -> bool:
    """May go when nothing uses its results."""
    kind = OPS[op.name].effect
    if kind is Effect.CALL:
        is_observed = op.attrs.get("noreturn") or op.attrs.get("sideeffect")
        return op.attrs.get("effects") in ("none", "read") and not is_observed
    if kind is Effect.READ:
        return not op.attrs.get("volatile") and not op.attrs.get("ordering")
    return kind in (Effect.PURE, Effect.CHECKED, Effect.ALLOCATE)
