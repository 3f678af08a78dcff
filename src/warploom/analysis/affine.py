# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Affine forms of integers, and addresses as base object plus affine byte offset.

    %m = mul %bx, %bdx           1 * (bx bdx)
    %i = add %m, %tx             1 * (bx bdx) + 1 * tx            modulo 2^32
    %w = sext %i                 1 * w                            the sum may wrap, so the extension is a symbol
    %j = add %ty, 1              1 * ty + 1                       exact: ty < 1024
    %v = sext %j                 1 * ty + 1
    %a = gep %p, %v [strides=(4)]    p + (4 * ty + 4)

Every form is right modulo 2^width. It is `exact` when the signed value of the IR value is the form's value over the
integers: nsw flags say so, or the intervals of its symbols. Only an exact form goes through sext and zext.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.analysis import integers, linear
from warploom.analysis.definitions import Definitions
from warploom.analysis.integers import Range, signed_value, type_range
from warploom.analysis.intervals import counter_interval, op_interval
from warploom.analysis.linear import Affine, Numbering, Product
from warploom.analysis.sums import Sum, factors_of
from warploom.core.records import dataclass, field
from warploom.ir.core import Const, Function, Op, Operand, Region, Value, flags_of
from warploom.ir.types import is_int


@dataclass(frozen=True, slots=True)
class Form:
    """The form of an integer value, and whether it is exact."""

    affine: Affine
    exact: bool


@dataclass(slots=True)
class Forms:
    """Forms and intervals of every integer value of a function; byte offsets of every `gep` from its base."""

    definitions: Definitions
    block_params: list[Value]  # bdx bdy bdz
    numbering: Numbering = field(default_factory=Numbering)
    forms: dict[Value, Form] = field(default_factory=dict[Value, Form])
    intervals: dict[Value, Range] = field(default_factory=dict[Value, Range])
    geps: dict[Value, tuple[Operand, Affine | None]] = field(default_factory=dict[Value, tuple[Operand, Affine | None]])

    def of(self, operand: Operand) -> Form:
        """The form of an integer operand."""
        if isinstance(operand, Const):
            number = signed_value(operand)
            # What is no number, such as undef, is equal to nothing.
            return Form(Sum(number) if number is not None else linear.symbol(Value(operand.type)), exact=True)
        known = self.definitions.launch.get(operand)
        if known is not None:
            return Form(Sum(known), exact=True)
        found = self.forms.get(operand)
        return found if found is not None else Form(linear.symbol(operand), exact=True)

    def interval(self, operand: Operand) -> Range:
        """Bounds of the signed value of an integer operand."""
        if isinstance(operand, Const):
            number = signed_value(operand)
            return integers.range_of_number(number) if number is not None else type_range(operand.type)
        known = self.intervals.get(operand) or self.definitions.intervals.get(operand)
        return known if known is not None else type_range(operand.type)

    def interval_of(self, affine: Affine) -> Range:
        """Bounds of an affine form over the integers."""
        total = (affine.constant, affine.constant)
        for product, coefficient in affine.terms.items():
            total = integers.range_add(total, integers.range_scale(self.interval_of_product(product), coefficient))
        return total

    def interval_of_product(self, product: Product) -> Range:
        """Bounds of a product of values."""
        result = (1, 1)
        for value in product:
            result = integers.range_multiply(result, self.interval(value))
        return result

    def address(self, pointer: Operand) -> tuple[Operand, Affine | None]:
        """`pointer` as (what its geps start from, bytes from there; None where not affine)."""
        if isinstance(pointer, Value) and pointer in self.geps:
            return self.geps[pointer]
        return pointer, Sum(0)


def affine_forms(function: Function, found: Definitions) -> Forms:
    """Forms of every value of the structured `function`."""
    forms = Forms(found, function.launch[3:])
    _region(function.body, forms)
    return forms


def _region(region: Region, forms: Forms) -> None:
    # Program order: operands have their forms before their users do. What a loop carries is a symbol.
    for op in region.ops:
        if op.name == "gep":
            _gep(op, forms)
        elif len(op.results) == 1 and is_int(op.results[0].type):
            _integer(op, forms)
        if op.name == "for":
            counter = op.region.params[0]
            forms.intervals[counter] = integers.range_meet(
                type_range(counter.type), counter_interval(op, [forms.interval(each) for each in op.operands[:3]])
            )
        for inner in op.regions:
            _region(inner, forms)


def _integer(op: Op, forms: Forms) -> None:
    limits = type_range(op.result.type)
    bound = integers.range_meet(limits, op_interval(op, [_interval(each, forms) for each in op.operands], limits))
    rule = _RULES.get(op.name)
    form = rule(op, forms) if rule is not None else None
    if form is not None:
        reach = forms.interval_of(form.affine)
        fits = limits[0] <= reach[0] and reach[1] <= limits[1]
        exact = form.exact or fits
        forms.forms[op.result] = Form(form.affine, exact)
        if exact:
            bound = integers.range_meet(bound, reach)
    forms.intervals[op.result] = bound


def _interval(operand: Operand, forms: Forms) -> Range:
    return forms.interval(operand) if is_int(operand.type) else type_range("i64")


def _gep(op: Op, forms: Forms) -> None:
    base, offset = forms.address(op.operands[0])
    constant, strides = op.attrs.get("offset", 0), op.attrs.get("strides", ())
    assert isinstance(constant, int)
    assert isinstance(strides, tuple)
    if offset is not None:
        offset = linear.add(offset, Sum(constant))
    for index, stride in zip(op.operands[1:], strides, strict=True):
        assert isinstance(stride, int)
        form = forms.of(index) if is_int(index.type) else None
        wide = form is not None and (form.exact or index.type == "i64")
        offset = linear.add(offset, form.affine, stride) if offset is not None and form is not None and wide else None
    for result in op.results:
        forms.geps[result] = (base, offset)


# -- the form of an op, if it has one. It is exact when flags prove it; `_integer` also asks the intervals, but those
# -- prove nothing unless the operands' forms are exact.


def _arithmetic(op: Op, forms: Forms) -> Form | None:
    a, b = forms.of(op.operands[0]), forms.of(op.operands[1])
    factors = factors_of(op, lambda operand: _number(forms.of(operand)))
    if factors is not None:
        left, right, constant = factors
        total = linear.add(a.affine.times(left), b.affine.times(right)) if right else a.affine.times(left)
        total = total and total.plus(Sum(constant))
    else:
        total = linear.multiply(a.affine, b.affine, forms.numbering) if op.name == "mul" else None
    return _checked(op, forms, a, b, total)


def _number(form: Form) -> int | None:
    return form.affine.constant if not form.affine.terms else None


def _checked(op: Op, forms: Forms, a: Form, b: Form, total: Affine | None) -> Form | None:
    if total is None:
        return None
    if a.exact and b.exact:
        # Bits of one operand only: no carry, and at most one operand is negative, so that sum does not wrap either.
        return Form(total, "nsw" in flags_of(op) or op.name == "or")
    # An operand that wrapped: what the sum's symbols add up to says nothing about the value.
    low, high = type_range(op.result.type)
    reach = forms.interval_of(total)
    return None if low <= reach[0] and reach[1] <= high else Form(total, exact=False)


def _extend(op: Op, forms: Forms) -> Form | None:
    form = forms.of(op.operands[0])
    positive = op.name == "sext" or "nneg" in flags_of(op) or forms.interval(op.operands[0])[0] >= 0
    return form if form.exact and positive else None


def _trunc(op: Op, forms: Forms) -> Form | None:
    form = forms.of(op.operands[0])
    low, high = type_range(op.result.type)
    reach = forms.interval(op.operands[0])
    fits = low <= reach[0] and reach[1] <= high
    if form.exact and fits:
        return Form(form.affine, exact=True)
    inside = forms.interval_of(form.affine)
    return None if low <= inside[0] and inside[1] <= high else Form(form.affine, exact=False)


_RULES: dict[str, Callable[[Op, Forms], Form | None]] = {
    **dict.fromkeys(("add", "sub", "mul", "shl", "or", "xor"), _arithmetic),
    "sext": _extend,
    "zext": _extend,
    "trunc": _trunc,
}
