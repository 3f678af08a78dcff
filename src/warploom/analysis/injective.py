# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether two places in one object can overlap: in one thread, in two threads of a block, anywhere.

The places are byte offsets in affine form. Let d be the distance from the one to the other. In one thread every symbol
of both forms has one value, and equal terms cancel. In two threads t and t' of a block only fixed symbols cancel
(computed once a block run, the same in all threads); the thread ids contribute stride * (id - id'). If strides grow so
fast that no combination of smaller ones reaches the next (mixed radix, like digits of a number), then d is at least the
least stride, whichever two threads are meant: an offset with that property is injective in the thread id. So is a
stride times the linear thread id tx + bdx * (ty + bdy * tz), whatever the block's size, and what such a sum modulo
2^32 extends to. (Moses et al., High-Performance GPU-to-CPU Transpilation, section III-A.)
"""

from __future__ import annotations

from math import gcd

from warploom.analysis import integers, linear
from warploom.analysis.affine import Forms
from warploom.analysis.guards import Guards, Threads
from warploom.analysis.integers import Range
from warploom.analysis.linear import Affine, Product
from warploom.analysis.uniformity import BLOCK, Uniformity
from warploom.core.launch import MAX_THREADS
from warploom.core.records import dataclass
from warploom.ir.core import Value
from warploom.ir.types import bits

FAR = 1 << 62  # distances below do not wrap around the address space
ONE_THREAD = (0, 0)


@dataclass(frozen=True, slots=True)
class Place:
    """Bytes [offset, offset + size) of an object; None: anywhere in it, any size. `threads`: who may be there."""

    offset: Affine | None
    size: int | None
    threads: Threads


@dataclass(slots=True)
class _Distance:
    """offset - offset' in two threads: `rest` + sum(coefficient * (id - id') * factors)."""

    rest: Range
    strides: dict[int, int]  # by axis: a number times the id
    symbolic: dict[Product, int]  # a number times the id times launch parameters or other fixed values
    extended: dict[Value, int]  # a number times a value that differs between threads in some other way


@dataclass(slots=True)
class Distances:
    """Answers for one function."""

    forms: Forms
    uniformity: Uniformity

    @property
    def guards(self) -> Guards:
        """The reader of conditions to make `Threads` with."""
        return Guards(self.forms, self.is_fixed)

    def is_fixed(self, value: Value) -> bool:
        """Whether a block run computes `value` once, with one result for all threads."""
        where = self.forms.definitions
        if where.is_outside_threads(value):
            return True
        return where.is_stable(value) and self.uniformity.rank(value) >= BLOCK

    def is_injective(self, place: Place) -> bool:
        """Whether any two threads of a block that get there touch different bytes."""
        return self.are_apart_across_threads(place, place)

    def are_apart_in_thread(self, a: Place, b: Place) -> bool:
        """Whether one thread finds no byte in both (with one value of each symbol)."""
        if a.offset is None or b.offset is None or a.size is None or b.size is None:
            return False
        if a.offset.terms == b.offset.terms:
            return _is_outside(integers.range_of_number(a.offset.constant - b.offset.constant), a.size, b.size)
        distance = linear.add(a.offset, b.offset, -1)
        return distance is not None and _is_outside(self.forms.interval_of(distance), a.size, b.size)

    def are_apart_anywhere(self, a: Place, b: Place) -> bool:
        """Whether no thread at `a`, ever, finds a byte that one at `b`, ever, finds, in one run of a block."""
        if a.offset is None or b.offset is None or a.size is None or b.size is None:
            return False
        return _is_outside(self._spread(a, b), a.size, b.size)

    def are_apart_across_threads(self, a: Place, b: Place) -> bool:
        """Whether no thread of a block at `a`, ever, finds a byte that another thread of the block at `b` finds."""
        axes = [self._id_difference(axis, a.threads, b.threads) for axis in range(3)]
        if all(each == ONE_THREAD for each in axes):
            return True
        if a.offset is None or b.offset is None or a.size is None or b.size is None:
            return False
        if _is_outside(self._spread(a, b), a.size, b.size):
            return True
        distance = self._distance(a.offset, b.offset, axes)
        low, high = distance.rest
        needed = max(b.size - low, a.size + high)
        moving = {axis: max(abs(each[0]), abs(each[1])) for axis, each in enumerate(axes) if each != ONE_THREAD}
        if len(distance.extended) == 1 and not distance.strides and not distance.symbolic:
            ((value, factor),) = distance.extended.items()
            return self._least_extended(value, factor, axes, moving) >= needed
        return not distance.extended and self._least(distance, moving, needed)[0]

    # -- parts of a distance ------------------------------------------------------------------------------------------

    def _id_difference(self, axis: int, a: Threads, b: Threads) -> Range:
        if a.pins[axis] is not None and a.pins[axis] == b.pins[axis]:
            return ONE_THREAD
        (low, high), (low2, high2) = a.bounds[axis], b.bounds[axis]
        return low - high2, high - low2

    def _spread(self, a: Place, b: Place) -> Range:
        """Bounds of the distance when everything but fixed symbols is independent."""
        assert a.offset is not None
        assert b.offset is not None
        total = integers.range_of_number(a.offset.constant - b.offset.constant)
        ours, theirs = a.offset.terms, b.offset.terms
        for product in ours.keys() | theirs.keys():
            x, y = ours.get(product, 0), theirs.get(product, 0)
            if all(self.is_fixed(value) for value in product):
                total = integers.range_add(total, integers.range_scale(self.forms.interval_of_product(product), x - y))
            else:
                total = integers.range_add(total, integers.range_scale(self._bounds(product, a.threads), x))
                total = integers.range_add(total, integers.range_scale(self._bounds(product, b.threads), -y))
        return total

    def _bounds(self, product: Product, threads: Threads) -> Range:
        ids = self.forms.definitions.threads
        result = (1, 1)
        for value in product:
            bound = threads.bounds[ids[value]] if value in ids else self.forms.interval(value)
            result = integers.range_multiply(result, bound)
        return result

    def _distance(self, a: Affine, b: Affine, axes: list[Range]) -> _Distance:
        result = _Distance(integers.range_of_number(a.constant - b.constant), {}, {}, {})
        ours, theirs = a.terms, b.terms
        for product in ours.keys() | theirs.keys():
            self._add_term(result, product, ours.get(product, 0), theirs.get(product, 0), axes)
        return result

    def _add_term(self, result: _Distance, product: Product, x: int, y: int, axes: list[Range]) -> None:
        ids = self.forms.definitions.threads
        own = [value for value in product if value in ids]
        moving = [value for value in own if axes[ids[value]] != ONE_THREAD]
        if all(self.is_fixed(value) for value in product if value not in own):
            bounds = self.forms.interval_of_product(product)
            if not moving:
                result.rest = integers.range_add(result.rest, integers.range_scale(bounds, x - y))
            elif len(product) == 1 and x == y and ids[own[0]] not in result.strides:
                result.strides[ids[own[0]]] = x
            elif len(own) == 1 and x == y:
                result.symbolic[product] = x
            else:
                self._add_independent(result, bounds, x, y)
        elif len(product) == 1 and x == y:
            result.extended[product[0]] = x
        else:
            self._add_independent(result, self.forms.interval_of_product(product), x, y)

    def _add_independent(self, result: _Distance, bounds: Range, x: int, y: int) -> None:
        both = integers.range_add(integers.range_scale(bounds, x), integers.range_scale(bounds, -y))
        result.rest = integers.range_add(result.rest, both)

    # -- how far apart ids take two threads ---------------------------------------------------------------------------

    def _least(self, distance: _Distance, moving: dict[int, int], needed: int) -> tuple[bool, int]:
        """(whether ids of two threads always make a difference of at least `needed`, the most they make)."""
        if distance.symbolic:
            stride = self._linear_stride(distance, moving)
            reach = abs(stride) * MAX_THREADS
            return max(needed, 1) <= abs(stride) and reach < FAR, reach
        reach = 0
        for axis, most in sorted(moving.items(), key=lambda item: abs(distance.strides.get(item[0], 0))):
            stride = abs(distance.strides.get(axis, 0))
            if stride < reach + needed:
                return False, 0
            reach += stride * most
        return reach < FAR, reach

    def _linear_stride(self, distance: _Distance, moving: dict[int, int]) -> int:
        """c when the ids of the axes in `moving` occur as c * (tx + bdx * (ty + bdy * tz)); else 0."""
        found: set[int] = set()
        terms = dict(distance.symbolic)
        thread_of = {axis: value for value, axis in self.forms.definitions.threads.items()}
        terms.update({(thread_of[axis],): stride for axis, stride in distance.strides.items()})
        for axis in moving:
            product, factor = self._linear_factor(axis, {value for each in terms for value in each})
            if factor == 0 or terms.get(product, 0) % factor:
                return 0
            found.add(terms.pop(product, 0) // factor)
        return found.pop() if len(found) == 1 and not terms else 0

    def _linear_factor(self, axis: int, present: set[Value]) -> tuple[Product, int]:
        """What the linear id has of the id of `axis`, as (product, number times it); number 0: not in `present`."""
        where = self.forms.definitions
        ids = [value for value in present if where.threads.get(value) == axis]
        if len(ids) != 1:
            return (), 0
        total: Affine | None = linear.symbol(ids[0])
        for size in self.forms.block_params[:axis]:
            total = linear.multiply(total, self.forms.of(size).affine, self.forms.numbering) if total else None
        if total is None or len(total.terms) != 1:
            return (), 0
        ((product, factor),) = total.terms.items()
        return product, factor

    def _least_extended(self, value: Value, factor: int, axes: list[Range], moving: dict[int, int]) -> int:
        """The least difference between two threads of `factor` times `value`, an extension of a sum modulo 2^width; 0:
        may be none."""
        where = self.forms.definitions
        op = where.defining(value, "sext") or where.defining(value, "zext")
        if op is None:
            return 0
        size = abs(factor) << bits(op.operands[0].type)
        if size >= FAR:
            return 0
        inner = self.forms.of(op.operands[0]).affine
        distance = self._distance(inner, inner, axes)
        if distance.extended or distance.rest != (0, 0):
            return 0
        injective, reach = self._least(distance, moving, 1)
        step = gcd(*distance.strides.values(), *distance.symbolic.values())
        return min(abs(factor) * step, size - abs(factor) * reach) if injective else 0


def _is_outside(distance: Range, a_size: int, b_size: int) -> bool:
    """Whether bytes [d, d + a_size) miss [0, b_size) for every d in `distance`."""
    low, high = distance
    return low > -FAR and high < FAR and (low >= b_size or high <= -a_size)
