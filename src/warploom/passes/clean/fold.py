# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a pure op is equal to: a constant, one of its operands, or a simpler op.

    add %x, 0      ==> %x              add (add %x, 3), 4      ==> add %x, 7
    icmp slt 1, 2  ==> true            xor (icmp slt %a, %b), true ==> icmp sge %a, %b

Integers fold exactly as LLVM defines them. Floating point folds only where IEEE 754 fixes the result: +, -, *, / and
conversions of constants, when the result is no NaN; never by algebra that changes a sign of zero or a rounding.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.ir import scalar, types
from warploom.ir.core import FALSE, TRUE, Attribute, Const, Op, Operand, Value, flags_of, int_const
from warploom.ir.evaluate import evaluate
from warploom.ir.ops import BINARY, CASTS, COMMUTATIVE

_OPPOSITES = (("eq", "ne"), ("slt", "sge"), ("sle", "sgt"), ("ult", "uge"), ("ule", "ugt"))
INVERSE = {one: other for pair in _OPPOSITES for one, other in (pair, pair[::-1])}
_FLOAT_OPPOSITES = "oeq une ogt ule oge ult olt uge ole ugt one ueq ord uno true false".split()
FLOAT_INVERSE = {one: _FLOAT_OPPOSITES[number ^ 1] for number, one in enumerate(_FLOAT_OPPOSITES)}
_MIRRORED = (("eq", "eq"), ("ne", "ne"), ("slt", "sgt"), ("sle", "sge"), ("ult", "ugt"), ("ule", "uge"))
SWAPPED = {one: other for pair in _MIRRORED for one, other in (pair, pair[::-1])}

_EVALUATED = BINARY | CASTS | {"icmp", "fcmp", "fneg", "select"}
_REFLEXIVE = frozenset("eq sle sge ule uge".split())

Definitions = dict[Value, Op]


def fold(op: Op, definitions: Definitions) -> Operand | None:
    """What the only result of `op` equals; None if `op` stays, maybe as a simpler op: it is rewritten in place."""
    if op.name not in _RULES and op.name not in _EVALUATED:
        return None
    for _ in range(8):
        # Asked first: of nearly all ops, an operand is no constant.
        if not op.operands or (not isinstance(op.operands[0], Value) and not isinstance(op.operands[-1], Value)):
            known = evaluate(op)
            if known is not None:
                return known
        rule = _RULES.get(op.name)
        found = rule(op, definitions) if rule else None
        if found is not _AGAIN:
            return found
    return None


# -- constants ---------------------------------------------------------------------------------------------------------


def compare(pred: str, left: Operand, right: Operand) -> bool | None:
    """An integer comparison of constants; None if they are not."""
    known = evaluate(Op("icmp", [left, right], [Value("i1")], {"pred": pred}))
    return None if known is None else bool(known.value)


# -- helpers of the rules ---------------------------------------------------------------------------------------------

_AGAIN = Const("", "again")  # the op was rewritten: look at it again


def _rewrite(op: Op, name: str, operands: list[Operand], **attrs: Attribute) -> Const:
    op.name, op.operands, op.attrs = name, operands, attrs
    return _AGAIN


def _integer(operand: Operand) -> int | None:
    """The value of an integer constant."""
    if isinstance(operand, Const) and isinstance(operand.value, int) and types.is_int(operand.type):
        return operand.value
    return None


def _ones(type_: str) -> int:
    return (1 << types.bits(type_)) - 1


def _definition(operand: Operand, definitions: Definitions, *names: str) -> Op | None:
    """The op that defines `operand`, if it is one of `names`."""
    op = definitions.get(operand) if isinstance(operand, Value) else None
    return op if op is not None and op.name in names else None


def is_poison(operand: Operand) -> bool:
    """Whether any value may stand in its place."""
    return isinstance(operand, Const) and operand.value == "poison"


def _sort_operands(op: Op) -> None:
    """Constants go to the right."""
    if op.name in COMMUTATIVE and isinstance(op.operands[0], Const) and not isinstance(op.operands[1], Const):
        op.operands.reverse()


def negated(operand: Operand, definitions: Definitions) -> Operand | None:
    """What `operand` is the negation of."""
    op = _definition(operand, definitions, "xor")
    return op.operands[0] if op and op.operands[1] == TRUE else None


# -- rules ------------------------------------------------------------------------------------------------------------


def _add(op: Op, definitions: Definitions) -> Operand | None:
    _sort_operands(op)
    left, right = op.operands
    number = _integer(right)
    if number == 0:
        return left
    inner = _definition(left, definitions, "add")
    if number is not None and inner and (other := _integer(inner.operands[1])) is not None:
        flags = _flags_of_sum(op, inner, number, other)
        return _rewrite(op, "add", [inner.operands[0], int_const(right.type, number + other)], **flags)
    return None


def _flags_of_sum(op: Op, inner: Op, number: int, other: int) -> dict[str, Attribute]:
    """What may be said of (x + other) + number as one addition: adding both at once passes no value in between."""
    width = types.bits(op.result.type)
    flags, inner_flags = flags_of(op), flags_of(inner)
    total = scalar.signed(number, width) + scalar.signed(other, width)
    fits = {"nsw": -(1 << (width - 1)) <= total < 1 << (width - 1), "nuw": not (number + other) >> width}
    kept = tuple(flag for flag in ("nsw", "nuw") if flag in flags and flag in inner_flags and fits[flag])
    return {"flags": kept} if kept else {}


def _sub(op: Op, _: Definitions) -> Operand | None:
    left, right = op.operands
    if not types.is_int(left.type):
        return None
    if left == right:
        return Const(left.type, 0)
    number = _integer(right)
    if number is None:
        return None
    keeps = "nsw" in flags_of(op) and number != 1 << (types.bits(right.type) - 1)
    attrs: dict[str, Attribute] = {"flags": ("nsw",)} if keeps else {}
    return _rewrite(op, "add", [left, int_const(right.type, -number)], **attrs)


def _mul(op: Op, _: Definitions) -> Operand | None:
    _sort_operands(op)
    left, right = op.operands
    number = _integer(right)
    return right if number == 0 else left if number == 1 else None


def _shift(op: Op, _: Definitions) -> Operand | None:
    left, right = op.operands
    return left if _integer(right) == 0 or _integer(left) == 0 else None


def _and(op: Op, definitions: Definitions) -> Operand | None:
    _sort_operands(op)
    left, right = op.operands
    number = _integer(right)
    if number == 0:
        return right
    if left == right or (number is not None and number == _ones(right.type)):
        return left
    inner = _definition(left, definitions, "and")
    if number is not None and inner and (other := _integer(inner.operands[1])) is not None:
        return _rewrite(op, "and", [inner.operands[0], int_const(right.type, number & other)])
    return None


def _or(op: Op, _: Definitions) -> Operand | None:
    _sort_operands(op)
    left, right = op.operands
    number = _integer(right)
    if left == right or number == 0:
        return left
    return right if number is not None and number == _ones(right.type) else None


def _xor(op: Op, definitions: Definitions) -> Operand | None:
    _sort_operands(op)
    left, right = op.operands
    if left == right and types.is_int(left.type):
        return Const(left.type, 0)
    number = _integer(right)
    if number == 0:
        return left
    inner = _definition(left, definitions, "xor", "icmp", "fcmp")
    if inner and inner.name == "xor" and number is not None and (other := _integer(inner.operands[1])) is not None:
        return _rewrite(op, "xor", [inner.operands[0], int_const(right.type, number ^ other)])
    if inner and inner.name in ("icmp", "fcmp") and right == TRUE:
        inverse = INVERSE if inner.name == "icmp" else FLOAT_INVERSE
        return _rewrite(op, inner.name, list(inner.operands), pred=inverse[str(inner.attrs["pred"])])
    return None


def _divide(op: Op, _: Definitions) -> Operand | None:
    left, right = op.operands
    if _integer(right) != 1:
        return None
    return Const(left.type, 0) if op.name in ("urem", "srem") else left


def _icmp(op: Op, definitions: Definitions) -> Operand | None:
    left, right = op.operands
    pred = str(op.attrs["pred"])
    if isinstance(left, Const) and not isinstance(right, Const):
        return _rewrite(op, "icmp", [right, left], pred=SWAPPED[pred])
    if left == right and isinstance(left, Value) and op.result.type == "i1":
        return TRUE if pred in _REFLEXIVE else FALSE
    number = _integer(right)
    if number is None:
        return None
    if left.type == "i1" and pred in ("eq", "ne"):
        return left if (pred == "ne") == (number == 0) else _rewrite(op, "xor", [left, TRUE])
    if pred == "ult" and number == 0:
        return FALSE
    if pred == "uge" and number == 0:
        return TRUE
    masked = _definition(left, definitions, "and")
    most = _integer(masked.operands[1]) if masked else None
    if most is not None and number > most and pred[0] == "u":
        return TRUE if pred in ("ult", "ule") else FALSE
    extended = _definition(left, definitions, "sext", "zext")
    if extended and extended.operands[0].type != "i1":
        return _icmp_of_extended(op, extended, number, pred)
    return _icmp_of_flag(op, left, number, pred, definitions)


def _icmp_of_extended(op: Op, extended: Op, number: int, pred: str) -> Operand | None:
    """Compare before the extension, which keeps the order of numbers, with what gives `number` when it is extended."""
    (narrow,) = extended.operands
    bits = types.bits(narrow.type)
    small = number & _ones(narrow.type)
    if (small if extended.name == "zext" else scalar.signed(small, bits) & _ones(extended.result.type)) != number:
        return None
    if extended.name == "zext" and pred[0] == "s":  # neither side is negative
        pred = f"u{pred[1:]}"
    return _rewrite(op, "icmp", [narrow, Const(narrow.type, small)], pred=pred)


def _icmp_of_flag(op: Op, left: Operand, number: int, pred: str, definitions: Definitions) -> Operand | None:
    """Comparisons of a truth value that was extended, or chosen from constants, to an integer."""
    extended = _definition(left, definitions, "zext", "sext")
    if extended and extended.operands[0].type == "i1":
        flag = extended.operands[0]
        high = 1 if extended.name == "zext" else _ones(left.type)
        return _by_cases(op, flag, Const(left.type, high), Const(left.type, 0), number, pred)
    chosen = _definition(left, definitions, "select")
    if chosen and _integer(chosen.operands[1]) is not None and _integer(chosen.operands[2]) is not None:
        return _by_cases(op, chosen.operands[0], chosen.operands[1], chosen.operands[2], number, pred)
    return None


def _by_cases(op: Op, flag: Operand, high: Operand, low: Operand, number: int, pred: str) -> Operand | None:
    right = Const(high.type, number)
    when_set, when_clear = compare(pred, high, right), compare(pred, low, right)
    if when_set is None or when_clear is None:
        return None
    if when_set == when_clear:
        return TRUE if when_set else FALSE
    return flag if when_set else _rewrite(op, "xor", [flag, TRUE])


def _select(op: Op, definitions: Definitions) -> Operand | None:
    flag, first, second = op.operands
    known = _integer(flag)
    if known is not None:
        return first if known else second
    if first == second or is_poison(second):
        return first
    if is_poison(first):
        return second
    if first == TRUE and second == FALSE:
        return flag
    if first == FALSE and second == TRUE:
        return _rewrite(op, "xor", [flag, TRUE])
    opposite = negated(flag, definitions)
    if opposite is not None:
        return _rewrite(op, "select", [opposite, second, first], **op.attrs)
    return None


def _cast(op: Op, definitions: Definitions) -> Operand | None:
    operand, type_ = op.operands[0], op.result.type
    if operand.type == type_ and op.name == "bitcast":
        return operand
    inner = _definition(operand, definitions, "zext", "sext", "trunc")
    if inner is None or op.name not in ("zext", "sext", "trunc"):
        return None
    source = inner.operands[0]
    if op.name == "trunc" and inner.name != "trunc" and source.type == type_:
        return source
    if op.name == inner.name or (op.name == "sext" and inner.name == "zext"):
        return _rewrite(op, inner.name, [source])
    if op.name == "trunc" and types.is_int(type_) and types.bits(source.type) < types.bits(type_):
        return _rewrite(op, inner.name, [source])
    if op.name == "trunc" and types.is_int(type_):
        return _rewrite(op, "trunc", [source])
    return None


def _freeze(op: Op, _: Definitions) -> Operand | None:
    """Numbers are fixed already."""
    operand = op.operands[0]
    return operand if isinstance(operand, Const) and isinstance(operand.value, int) else None


def _float_identity(op: Op, _: Definitions) -> Operand | None:
    left, right = op.operands
    if op.name in ("fadd", "fmul") and isinstance(left, Const) and not isinstance(right, Const):
        op.operands.reverse()
        left, right = op.operands
    if not isinstance(right, Const) or not isinstance(right.value, int) or not types.is_float(right.type):
        return None
    neutral = {"fadd": -0.0, "fsub": 0.0, "fmul": 1.0, "fdiv": 1.0}[op.name]
    return left if right.value == types.float_bits(right.type, neutral) else None


def _fneg(op: Op, definitions: Definitions) -> Operand | None:
    inner = _definition(op.operands[0], definitions, "fneg")
    return inner.operands[0] if inner else None


def _gep(op: Op, definitions: Definitions) -> Operand | None:
    """Constant indices join the offset; a constant step from another address joins that."""
    strides, offset = op.attrs.get("strides", ()), op.attrs.get("offset", 0)
    assert isinstance(strides, tuple)
    assert isinstance(offset, int)
    base, *indices = op.operands
    kept: list[tuple[Operand, Attribute]] = []
    old_offset = offset
    for index, stride in zip(indices, strides, strict=True):
        number = _integer(index)
        if number is None or not isinstance(stride, int):
            kept.append((index, stride))
        else:
            offset += scalar.signed(number, types.bits(index.type)) * stride
    inner = _definition(base, definitions, "gep")
    if inner is not None and (len(inner.operands) == 1 or not kept):
        inner_strides, inner_offset = inner.attrs.get("strides", ()), inner.attrs.get("offset", 0)
        assert isinstance(inner_strides, tuple)
        assert isinstance(inner_offset, int)
        kept = [*zip(inner.operands[1:], inner_strides, strict=True), *kept]
        offset += inner_offset
        base = inner.operands[0]
        if not inner.attrs.get("inbounds"):
            op.attrs.pop("inbounds", None)
    if not kept and offset == 0:
        return base
    if len(kept) == len(indices) and offset == old_offset and base is op.operands[0]:
        return None
    op.operands = [base, *(index for index, _ in kept)]
    op.attrs |= {"offset": offset, "strides": tuple(stride for _, stride in kept)}
    return None


_Rule = Callable[[Op, Definitions], Operand | None]
_RULES: dict[str, _Rule] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "and": _and,
    "or": _or,
    "xor": _xor,
    "icmp": _icmp,
    **dict.fromkeys(("shl", "lshr", "ashr"), _shift),
    **dict.fromkeys(("udiv", "sdiv", "urem", "srem"), _divide),
    **dict.fromkeys(("zext", "sext", "trunc", "bitcast"), _cast),
    **dict.fromkeys(("fadd", "fsub", "fmul", "fdiv"), _float_identity),
    "select": _select,
    "freeze": _freeze,
    "fneg": _fneg,
    "gep": _gep,
}
