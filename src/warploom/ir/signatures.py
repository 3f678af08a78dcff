# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the ops table asks of operands, results and attributes, read from its column `form`.

    "a:T b:T -> T [flags?]"    two operands of one type, a result of that type, an attribute that may be absent

What that notation cannot say (which types T may be, how the types of a cast relate) stands here as rules beside it.
Each question answers with the reason why something is wrong, or with nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from warploom.core.patterns import regex
from warploom.core.records import dataclass
from warploom.ir.core import Const, Op
from warploom.ir.ops import BINARY, CASTS, OPS
from warploom.ir.types import bits, element_of, elements, is_aggregate, is_float, is_int, is_vector, lanes_of, vector
from warploom.ir.vector_rules import (
    REDUCTIONS,
    address_error,
    element_error,
    memory_error,
    reduction_error,
    vector_constant_error,
)

_TYPE = r"<[^>]*>|\{ \w+, \w+ \}|\w+"
_OPERAND = regex(rf"(\w+)(?::({_TYPE}))?(\.\.\.)?")
_RESULTS = regex(rf"(?P<type>{_TYPE})?(?P<many>\.\.\.|\?)?\s*(?:\[(?P<attributes>[^\]]*)\])?")


@dataclass(frozen=True, slots=True)
class Signature:
    """One form. A type pattern is a type, `int`, a capital for a type that stays the same, or empty for any type."""

    operands: tuple[str, ...]
    more_operands: str | None  # the pattern of any number of further operands
    results: tuple[str, ...]
    optional_results: int | None  # how many further results there may be; None: any number
    required: frozenset[str]  # attributes
    allowed: frozenset[str]


@cache
def signature(name: str) -> Signature:
    """The form of op `name`."""
    taken, _, given = OPS[name].form.partition("->")
    operands = _OPERAND.findall(taken.partition("{")[0])
    found = _RESULTS.match(given.strip())
    assert found, name
    type_, many = found["type"] or "", found["many"]
    attributes = (found["attributes"] or "").split()
    return Signature(
        operands=tuple(each[1] for each in operands if not each[2]),
        more_operands=next((each[1] for each in operands if each[2]), None),
        results=(type_,) if type_ and not many else (),
        optional_results={None: 0, "?": 1, "...": None}[many],
        required=frozenset(each for each in attributes if each[-1] != "?"),
        allowed=frozenset(each.rstrip("?") for each in attributes),
    )


# -- types ------------------------------------------------------------------------------------------------------------


@cache
def type_error(name: str, operands: tuple[str, ...], results: tuple[str, ...]) -> str | None:
    """Why op `name` does not take operands and give results of these types."""
    form = signature(name)
    fixed = len(form.operands)
    if len(operands) < fixed or (len(operands) > fixed and form.more_operands is None):
        return f"has {len(operands)} operands, the form is `{OPS[name].form}`"
    further = len(results) - len(form.results)
    if further < 0 or (form.optional_results is not None and further > form.optional_results):
        return f"has {len(results)} results, the form is `{OPS[name].form}`"
    bound: dict[str, str] = {}
    patterns = [*form.operands, *[form.more_operands or ""] * (len(operands) - fixed), *form.results, *[""] * further]
    for type_, pattern in zip((*operands, *results), patterns, strict=True):
        if not is_type(type_):
            return f"`{type_}` is no type"
        if not _matches(type_, pattern, bound):
            return f"`{type_}` does not fit the form `{OPS[name].form}`"
    rule = _RULES.get(name)
    return rule(name, operands, results) if rule else None


@cache
def is_type(type_: str) -> bool:
    """Whether `type_` is a type in LLVM's spelling."""
    if not type_ or type_ == "ptr" or is_float(type_):
        return bool(type_)
    if is_int(type_):
        return int(type_[1:]) > 0
    if re.fullmatch(r"<\d+ x .+>|\[\d+ x .+\]", type_):
        return is_type(type_[1:-1].partition(" x ")[2])
    return re.fullmatch(r"<?\{( .+ )?\}>?", type_) is not None and all(is_type(each) for each in elements(type_))


def _matches(type_: str, pattern: str, bound: dict[str, str]) -> bool:
    if pattern.startswith("<"):
        count, _, element = pattern[1:-1].partition(" x ")
        if not is_vector(type_):
            return False
        inner = elements(type_)
        return _matches(str(len(inner)), count.upper(), bound) and _matches(inner[0], element, bound)
    if pattern.startswith("{"):
        members = elements(type_) if is_aggregate(type_) else ()
        wanted = elements(pattern)
        return len(members) == len(wanted) and all(map(_matches, members, wanted, [bound] * len(wanted)))
    if pattern == "int":
        return is_int(type_)
    if len(pattern) == 1:
        return bound.setdefault(pattern, type_) == type_
    return pattern in ("", type_)


def like(type_: str, element: str) -> str:
    """`element`, or a vector of it with as many elements as the vector `type_`."""
    lanes = lanes_of(type_)
    return vector(element, lanes) if lanes else element


# A rule on types beyond the form: name, operand types, result types.
_Rule = Callable[[str, tuple[str, ...], tuple[str, ...]], str | None]


def _kind(type_: str) -> str:
    inner = element_of(type_)
    return "integer" if is_int(inner) else "float" if is_float(inner) else "pointer" if inner == "ptr" else inner


def _of(*kinds: str) -> _Rule:
    """The first operand is, or holds, one of these kinds."""

    def rule(_: str, operands: tuple[str, ...], __: tuple[str, ...]) -> str | None:
        fits = _kind(operands[0]) in kinds
        return None if fits else f"is for {' or '.join(each + 's' for each in kinds)}, not for `{operands[0]}`"

    return rule


def _compares(*kinds: str) -> _Rule:
    """Of these kinds, with an i1 for each element."""

    def rule(name: str, operands: tuple[str, ...], results: tuple[str, ...]) -> str | None:
        wanted = like(operands[0], "i1")
        if results[0] != wanted:
            return f"has a result of type `{wanted}`, not `{results[0]}`"
        return _of(*kinds)(name, operands, results)

    return rule


def _select(_: str, operands: tuple[str, ...], __: tuple[str, ...]) -> str | None:
    fits = operands[0] in ("i1", like(operands[1], "i1"))
    return None if fits else f"cannot choose `{operands[1]}` by `{operands[0]}`"


def _scalar_or_vector(_: str, operands: tuple[str, ...], __: tuple[str, ...]) -> str | None:
    return f"is not for `{operands[0]}`" if is_aggregate(operands[0]) else None


def _loop(_: str, operands: tuple[str, ...], __: tuple[str, ...]) -> str | None:
    return None if is_int(operands[0]) else f"counts in integers, not in `{operands[0]}`"


# From, to, and how many bits the result has compared with the operand.
_CASTS: dict[str, tuple[str, str, str]] = {
    "trunc": ("integer", "integer", "fewer"),
    "zext": ("integer", "integer", "more"),
    "sext": ("integer", "integer", "more"),
    "fptrunc": ("float", "float", "fewer"),
    "fpext": ("float", "float", "more"),
    "fptoui": ("float", "integer", ""),
    "fptosi": ("float", "integer", ""),
    "uitofp": ("integer", "float", ""),
    "sitofp": ("integer", "float", ""),
    "ptrtoint": ("pointer", "integer", ""),
    "inttoptr": ("integer", "pointer", ""),
}


def _cast(name: str, operands: tuple[str, ...], results: tuple[str, ...]) -> str | None:
    source, target = operands[0], results[0]
    from_kind, to_kind, width = _CASTS[name]
    before, after = element_of(source), element_of(target)
    fits = (_kind(source), _kind(target)) == (from_kind, to_kind) and like(source, "i1") == like(target, "i1")
    if fits and width:
        fits = bits(after) < bits(before) if width == "fewer" else bits(after) > bits(before)
    return None if fits else f"cannot turn `{source}` into `{target}`"


def _bitcast(_: str, operands: tuple[str, ...], results: tuple[str, ...]) -> str | None:
    source, target = operands[0], results[0]
    fits = not is_aggregate(source) and not is_aggregate(target) and _width(source) == _width(target)
    return None if fits else f"cannot turn `{source}` into `{target}`"


def _width(type_: str) -> int:
    return bits(element_of(type_)) * (lanes_of(type_) or 1)


_RULES: dict[str, _Rule] = {
    **dict.fromkeys(BINARY, _of("integer")),
    **dict.fromkeys(("fadd", "fsub", "fmul", "fdiv", "frem", "fneg"), _of("float")),
    **dict.fromkeys(CASTS, _cast),
    "bitcast": _bitcast,
    "icmp": _compares("integer", "pointer"),
    "fcmp": _compares("float"),
    "select": _select,
    "atomicrmw": lambda name, operands, results: _of("integer", "float", "pointer")(name, operands[1:], results),
    "cmpxchg": lambda name, operands, results: _of("integer", "pointer")(name, operands[1:], results),
    "for": _loop,
    **dict.fromkeys(("extractelement", "insertelement", "shufflevector"), _scalar_or_vector),
    "gep": address_error,
    "splat": element_error,
    **dict.fromkeys(("masked_load", "masked_store", "gather", "gather_near", "scatter", "scatter_near"), memory_error),
}


# -- attributes -------------------------------------------------------------------------------------------------------


def _words(text: str) -> Callable[[object], bool]:
    words = frozenset(text.split())
    return lambda value: isinstance(value, str) and value in words


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_alignment(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0 and value & (value - 1) == 0


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _tuple_of(member: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, tuple) and all(map(member, value))  # pyright: ignore[reportUnknownArgumentType]


_ORDERINGS = "unordered monotonic acquire release acq_rel seq_cst"
_INTEGER_PREDICATES = "eq ne slt sle sgt sge ult ule ugt uge"

# By op and attribute, else by attribute alone. What stands in no line may hold anything.
_VALUES: dict[str, Callable[[object], bool]] = {
    "flags": _tuple_of(_words("nsw nuw exact disjoint nneg samesign fast nnan ninf nsz arcp contract afn reassoc")),
    "icmp.pred": _words(_INTEGER_PREDICATES),
    "for.pred": _words("slt sle sgt sge ult ule ugt uge ne"),
    "fcmp.pred": _words("oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true false"),
    "offset": _is_integer,
    "strides": _tuple_of(_is_integer),
    "mask": _tuple_of(_is_integer),
    "path": _tuple_of(_is_count),
    "counts": _tuple_of(_is_count),
    "cases": _tuple_of(_is_integer),
    "targets": _tuple_of(_is_text),
    "size": _is_count,
    "align": _is_alignment,
    "align_to": _is_alignment,
    "align_from": _is_alignment,
    **dict.fromkeys(
        (
            "inbounds",
            "volatile",
            "weak",
            "convergent",
            "speculatable",
            "noreturn",
            "sideeffect",
            "cluster",
            "lock_step",
        ),
        _is_bool,
    ),
    **dict.fromkeys(("callee", "text", "constraints", "scope"), _is_text),
    "ordering": _words(_ORDERINGS),
    "load.ordering": lambda value: value == "" or _words(_ORDERINGS)(value),
    "store.ordering": lambda value: value == "" or _words(_ORDERINGS)(value),
    "failure": _words("monotonic acquire seq_cst"),
    "operation": _words(
        "xchg add sub and nand or xor max min umax umin fadd fsub fmax fmin fmaximum fminimum uinc_wrap udec_wrap "
        "usub_cond usub_sat"
    ),
    "effects": _words("none read argmem any"),
    "level": _words("warp block grid"),
    "barrier_reduce.kind": _words("count and or"),
    "shuffle.kind": _words("idx up down xor"),
    "vote.kind": _words("ballot any all"),
    "match.kind": _words("any all"),
    "reduce.kind": _words(" ".join(REDUCTIONS)),
    "warp_reduce.kind": _words("add umin umax smin smax and or xor"),
}


def attribute_error(op: Op) -> str | None:
    """Why the attributes of `op` are not as its form asks."""
    form = signature(op.name)
    for name in form.required:
        if name not in op.attrs:
            return f"has no attribute `{name}`"
    for name, value in op.attrs.items():
        if name not in form.allowed:
            return f"has an attribute `{name}` that the form `{OPS[op.name].form}` does not have"
        check = _VALUES.get(f"{op.name}.{name}") or _VALUES.get(name)
        if check and not check(value):
            return f"has a wrong attribute {name}={value!r}"
    rule = _ATTRIBUTE_RULES.get(op.name)
    return rule(op) if rule else None


def _gep(op: Op) -> str | None:
    strides, indices = op.attrs["strides"], len(op.operands) - 1
    return None if isinstance(strides, tuple) and len(strides) == indices else f"needs one stride an index: {indices}"


def _shufflevector(op: Op) -> str | None:
    mask, lanes = op.attrs["mask"], 2 * len(elements(op.operands[0].type))
    assert isinstance(mask, tuple)
    if len(mask) != len(elements(op.result.type)):
        return f"has a mask of {len(mask)} for `{op.result.type}`"
    fits = all(isinstance(each, int) and -1 <= each < lanes for each in mask)
    return None if fits else f"has a mask out of -1 to {lanes - 1}"


def _member(op: Op) -> str | None:
    """extractvalue and insertvalue: the path leads to a member of the value's type."""
    type_, path = op.operands[0].type, op.attrs["path"]
    assert isinstance(path, tuple)
    for step in path:
        members = elements(type_) if is_aggregate(type_) else ()
        if not isinstance(step, int) or step >= len(members):
            return f"has a path that leads nowhere in `{op.operands[0].type}`"
        type_ = members[step]
    found = op.result.type if op.name == "extractvalue" else op.operands[1].type
    return None if path and found == type_ else f"finds `{type_}` on its path, not `{found}`"


_ATTRIBUTE_RULES: dict[str, Callable[[Op], str | None]] = {
    "gep": _gep,
    "reduce": reduction_error,
    "shufflevector": _shufflevector,
    "extractvalue": _member,
    "insertvalue": _member,
}


# -- constants --------------------------------------------------------------------------------------------------------


@cache
def constant_error(constant: Const) -> str | None:
    """Why `constant` is no value of its type."""
    type_, value = constant.type, constant.value
    if not is_type(type_):
        return f"`{type_}` is no type"
    is_number = is_int(type_) or is_float(type_)
    if isinstance(value, int):
        fits = is_number and 0 <= value < 1 << bits(type_)
        return None if fits else f"{value} are no bits of `{type_}`"
    wrong = is_number and re.fullmatch(r"true|false|[-+]?\d.*", value)
    if wrong:
        return f"{value} as text: a constant of type `{type_}` holds an int"
    return vector_constant_error(type_, value) if is_vector(type_) else None
