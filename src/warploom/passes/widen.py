# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The body of a thread loop for a vector of threads: one op becomes one op on vectors, or stays a scalar one.

    %i: i32 = add %row, %tx        ==>   %i = add %row, %x0            a base; thread l has %i + l
    %p: ptr = gep %a, %i                 %p = gep %a, sext %i
    %v: float = load %p                  %v: <16 x float> = load %p    contiguous
    %w: float = fmul %v, %u              %w = fmul %v, splat %u

A value is kept as what its shape (analysis/lanes.py) allows: one scalar; a scalar base and a constant stride; a vector.
Several rows of threads (neighbours in y) may go through the code together: what does not differ in y is computed once
for all of them. Which threads are active is a vector of bits a row, or nothing where all are.

Sound because threads between barriers may run in lock step, and because a thread that is not active neither touches
memory nor decides anything: its lanes may hold poison, so masks are combined by `select`, never by `and`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from warploom.analysis.integers import signed_value
from warploom.analysis.lanes import Shape, Shapes, X, Y, counting
from warploom.ir import types
from warploom.ir.core import TRUE, Builder, Const, Op, Operand, Region, Value, int_const, is_undefined
from warploom.ir.ops import DIVISIONS
from warploom.ir.properties import is_arithmetic, is_speculatable
from warploom.passes.vector_calls import VectorCalls, root_under_one
from warploom.passes.vector_report import Seen

_PER_BIT = ("add", "sub", "mul", "shl", "or", "xor")


@dataclass(slots=True)
class Lanes:
    """One value for a vector of threads.

    `vector`: one lane a thread. Otherwise `base` is the first thread's, and each next one has `stride` more; `wide` is
    the base as i64, over the integers. With `claims` there are both forms, and the stride holds where all claims do: a
    scalar one when it is true, a vector of bits for the threads in which it is false.
    """

    base: Operand | None = None
    stride: int = 0
    wide: Operand | None = None
    vector: Operand | None = None
    claims: tuple[Operand, ...] = ()


class Unvectorisable(Exception):
    """A thread loop that has to stay scalar; says why."""

    def __init__(self, reason: str, op: Op | None) -> None:
        super().__init__(reason)
        self.reason, self.loc = reason, op.loc if op is not None else None


class Widener:
    """Writes the code of `rows` vectors of `shapes.width` threads."""

    def __init__(
        self,
        shapes: Shapes,
        rows: int,
        build: Builder,
        used: set[Value],
        calls: VectorCalls,
        thread: Sequence[Value],
    ) -> None:
        """`used`: every value that something uses. `thread`: the thread's number in x, y, z; or its warp and lane."""
        self.shapes, self.rows, self.build, self.used, self.calls = shapes, rows, build, used, calls
        self.thread = thread
        self.width = shapes.width
        self.values: dict[Value, list[Lanes]] = {}
        self.masks: list[Operand | None] = [None] * rows
        self.scopes: list[dict[tuple[object, ...], Operand]] = [{}]
        self.at: Op | None = None  # what is being written
        self.seen = Seen()
        self.sinkable: set[Op] = set()  # loads that may sink into a loop over active threads
        self.short_rows = False  # of no more than two vectors, and several of them

    # -- values

    def rows_of(self, dims: int) -> range:
        """The rows that a value which differs along `dims` has one of each."""
        return range(self.rows if dims & Y else 1)

    def get(self, operand: Operand, row: int) -> Lanes:
        """A value in one row."""
        found = self.values.get(operand) if isinstance(operand, Value) else None
        if found is None:
            return Lanes(operand)
        return found[row if len(found) > 1 else 0]

    def scalar(self, operand: Operand, row: int) -> Operand:
        """A value that is the same in all lanes, or the base of one with a stride."""
        base = self.get(operand, row).base
        assert base is not None, "a vector where a scalar is needed"
        return base

    def cached(self, key: tuple[object, ...], make: Callable[[], Operand]) -> Operand:
        """What `make` writes, once where it can be seen from here."""
        for scope in reversed(self.scopes):
            if key in scope:
                return scope[key]
        self.scopes[-1][key] = made = make()
        return made

    def vector(self, operand: Operand, row: int) -> Operand:
        """A value as one lane a thread."""
        lanes = self.get(operand, row)
        if lanes.vector is not None:
            return lanes.vector
        assert lanes.base is not None
        return self.spread(lanes.base, lanes.stride)

    def spread(self, base: Operand, stride: int) -> Operand:
        """The vector (base, base + stride, base + 2 * stride, ...)."""
        return self.cached(("spread", base, stride), lambda: self._spread(base, stride))

    def vector_of(self, type_: str) -> str:
        """The type of one `type_` a thread."""
        if types.is_vector(type_) or types.is_aggregate(type_):
            raise Unvectorisable(f"a {type_} differs between threads", self.at)
        return types.vector(type_, self.width)

    def _spread(self, base: Operand, stride: int) -> Operand:
        type_ = self.vector_of(base.type)
        if stride == 0:
            return self.build.op("splat", [base], type_)
        if base.type == "ptr":
            steps = self.steps("i64", stride)
            return self.build.op("gep", [base, steps], type_, offset=0, strides=(1,))
        return self.build.op("add", [self.spread(base, 0), self.steps(base.type, stride)], type_)

    def steps(self, type_: str, stride: int) -> Const:
        """The constant (0, stride, 2 * stride, ...)."""
        mask = (1 << types.bits(type_)) - 1
        numbers = ", ".join(f"{type_} {lane * stride & mask}" for lane in range(self.width))
        return Const(types.vector(type_, self.width), f"<{numbers}>")

    def wide(self, operand: Operand, row: int) -> Operand:
        """The base of an exact integer as i64."""
        lanes = self.get(operand, row)
        if lanes.wide is not None:
            return lanes.wide
        base = lanes.base
        assert base is not None
        if base.type == "i64":
            return base
        number = signed_value(base) if isinstance(base, Const) else None
        if number is not None:
            return int_const("i64", number)
        return self.cached(("wide", base), lambda: self.build.op("sext", [base], "i64"))

    def define(self, value: Value, make: Callable[[int], Lanes]) -> None:
        """Let `value` be what `make` writes for each row that it differs in."""
        self.values[value] = [make(row) for row in self.rows_of(self.shapes.of(value).dims)]

    # -- masks

    def narrowed(self, row: int, condition: Operand) -> Operand:
        """The active threads of a row for which the vector `condition` holds."""
        return self._within(self.masks[row if self.rows > 1 else 0], condition)

    def _within(self, mask: Operand | None, condition: Operand) -> Operand:
        if mask is None:
            return condition
        none = Const(condition.type, "zeroinitializer")
        return self.cached(
            ("and", mask, condition), lambda: self.build.op("select", [mask, condition, none], condition.type)
        )

    def inverse(self, condition: Operand) -> Operand:
        """The threads for which the vector `condition` does not hold."""
        all_ = Const(condition.type, "splat (i1 true)")
        return self.cached(("not", condition), lambda: self.build.op("xor", [condition, all_], condition.type))

    def any_of(self, masks: Sequence[Operand | None]) -> Operand | None:
        """Whether any thread is in any mask; None: surely."""
        total: Operand | None = None
        for mask in dict.fromkeys(masks):
            if mask is None:
                return None
            total = mask if total is None else self.build.op("or", [total, mask], mask.type)
        assert total is not None
        return self.build.op("reduce", [total], "i1", kind="or")

    def mask(self, row: int, dims: int) -> Operand | None:
        """The active threads of a row; for what is the same in all rows (`dims`), those that any row has."""
        masks = dict.fromkeys(self.masks)
        if dims & Y or len(masks) == 1:
            return self.masks[row]
        if None in masks:
            return None
        return self.cached(("union", *masks), lambda: self._union([each for each in masks if each is not None]))

    def _union(self, masks: Sequence[Operand]) -> Operand:
        total, *others = masks
        for each in others:
            total = self.build.op("or", [total, each], each.type)
        return total

    def mask_of(self, row: int, dims: int = Y) -> Operand:
        """The same as a vector."""
        return self.mask(row, dims) or Const(types.vector("i1", self.width), "splat (i1 true)")

    def dims_of(self, op: Op) -> int:
        """Along which axes anything that `op` takes or gives differs."""
        dims = 0
        for value in (*op.operands, *op.results):
            dims |= self.shapes.of(value).dims
        return dims

    def if_row_runs(self, row: int, dims: int, write: Callable[[], list[Operand]]) -> list[Operand]:
        """What `write` gives; where the row may have no active thread while others have, only if it has one."""
        if not dims & Y or len(dict.fromkeys(self.masks)) == 1 or self.masks[row] is None:
            return write()
        taken, skipped = Region(), Region()
        some = self.any_of([self.masks[row]])
        assert some is not None

        def body() -> None:
            self.build.terminate("yield", write())

        self.inside(taken, body)
        results = [Value(each.type, "row") for each in taken.terminator.operands]
        Builder(skipped.ops, self.build.loc).terminate("yield", [Const(each.type, "poison") for each in results])
        self.build.add(Op("if", [some], results, {}, [taken, skipped], self.build.loc))
        return list(results)

    # -- regions

    def region(self, region: Region) -> None:
        """Write the ops of a region, but for its terminator."""
        for op in region.body:
            self.op(op)

    def inside(self, region: Region, write: Callable[[], None]) -> None:
        """Let `write` fill `region`; what it caches is forgotten behind it."""
        outer = self.build
        self.build = Builder(region.ops, outer.loc)
        self.scopes.append({})
        write()
        self.scopes.pop()
        self.build = outer

    def op(self, op: Op) -> None:
        """Write one op."""
        self.build.loc, self.at = op.loc, op
        handler = getattr(self, f"_op_{op.name}", None)
        if handler is not None:
            handler(op)
        elif is_arithmetic(op):
            self._pure(op)
        else:
            raise Unvectorisable(f"`{op.name}` has no vector form", op)

    # -- pure ops

    def _pure(self, op: Op) -> None:
        shape = self.shapes.of(op.result)
        if shape.guarded:
            self.define(op.result, lambda row: self._guarded(op, shape, row))
        elif op.name == "gep":
            self.define(op.result, lambda row: self._address(op, shape, row))
        elif shape.is_uniform and not any(self.shapes.of(each).dims & X for each in op.operands):
            self.define(op.result, lambda row: Lanes(self.copy(op, row)))
        elif shape.stride is not None:
            self.define(op.result, lambda row: self._strided(op, shape, row))
        else:
            self.define(op.result, lambda row: Lanes(vector=self._lanewise(op, row)))

    def _guarded(self, op: Op, shape: Shape, row: int) -> Lanes:
        """Both forms of a value whose stride may not hold."""
        claims = tuple(dict.fromkeys(claim for each in op.operands for claim in self.get(each, row).claims))
        if op.name == "gep":
            lanes = self._address(op, shape, row)
            lanes.vector = self._indexed(op, row)
        elif op.name == "select":
            return self.clamped(op, self._lanewise(op, row), row)
        elif op.name in ("sext", "zext") and not claims:
            source = self.get(op.operands[0], row)
            assert source.base is not None
            claims = (self._stays_in_range(source.base, source.stride, signed=op.name == "sext"),)
            base = self.build.op(op.name, [source.base], op.result.type)
            lanes = Lanes(base, source.stride, base, self._lanewise(op, row))
        else:
            lanes = self._strided(op, shape, row)
            lanes.vector = self._lanewise(op, row)
        lanes.claims = claims
        return lanes

    def clamped(self, op: Op, vector: Operand, row: int) -> Lanes:
        """What counts threads but where `op`, whose result is `vector`, chooses otherwise."""
        source = counting(self.shapes, op)
        assert source is not None
        counts = self.get(source, row)
        assert counts.base is not None
        threads = self.spread(counts.base, counts.stride)
        other = self.build.op("icmp", [vector, threads], types.vector("i1", self.width), pred="ne")
        exact = self.shapes.of(source).exact
        # What another clamp did before does not matter where the result counts in the end.
        claims = (*(each for each in counts.claims if each.type == "i1"), other)
        return Lanes(counts.base, counts.stride, self.wide(source, row) if exact else None, vector, claims)

    def holding(self, claims: Sequence[Operand], row: int, dims: int) -> Operand | None:
        """Whether all claims hold for the active threads (`mask`) of a row; None where there are no claims."""
        wrong = [each for each in claims if each.type != "i1"]
        holds = [each for each in claims if each.type == "i1"]
        if wrong:
            total = wrong[0]
            for each in wrong[1:]:
                total = self.build.op("or", [total, each], total.type)
            found = self.build.op("reduce", [self._within(self.mask(row, dims), total)], "i1", kind="or")
            holds.append(self.build.op("xor", [found, TRUE], "i1"))
        total = holds[0] if holds else None
        for each in holds[1:]:
            assert total is not None
            total = self.build.op("and", [total, each], "i1")
        return total

    def _stays_in_range(self, base: Operand, stride: int, *, signed: bool) -> Operand:
        """Whether the i32 numbers base, base + stride, ... of a vector do not wrap."""
        reach = (self.width - 1) * stride
        least, most = (-(1 << 31), (1 << 31) - 1) if signed else (0, (1 << 32) - 1)
        bound, relation = (most - reach, "le") if stride > 0 else (least - reach, "ge")
        predicate = ("s" if signed else "u") + relation
        return self.cached(
            ("range", base, stride, signed),
            lambda: self.build.op("icmp", [base, int_const("i32", bound)], "i1", pred=predicate),
        )

    def copy(self, op: Op, row: int) -> Operand:
        """A scalar op, as all threads of a row have the same."""
        if is_speculatable(op):
            return self._copy(op, row)
        (found,) = self.if_row_runs(row, self.dims_of(op), lambda: [self._copy(op, row)])
        return found

    def _op_select(self, op: Op) -> None:
        """Where one choice is poison the other one is as good, and may be a scalar when the condition is none."""
        _, *choices = op.operands
        for one, other in (choices, choices[::-1]):
            if is_undefined(other):
                self.values[op.result] = [self.get(one, row) for row in range(self.rows)]
                return
        self._pure(op)

    def _copy(self, op: Op, row: int) -> Operand:
        operands = [self.scalar(each, row) for each in op.operands]
        return self.build.op(op.name, operands, op.result.type, op.result.name, **op.attrs)

    def _strided(self, op: Op, shape: Shape, row: int) -> Lanes:
        """On bases. The first thread may be inactive, and wrap: no flags, and a second base that does not wrap."""
        type_, stride = op.result.type, shape.stride
        assert stride is not None
        if op.name in ("sext", "zext"):
            wide = self.wide(op.operands[0], row)
            return Lanes(wide if type_ == "i64" else self.build.op("trunc", [wide], type_), stride, wide)
        operands = [self.scalar(each, row) for each in op.operands]
        name = "add" if op.name == "or" else op.name
        attrs = {key: value for key, value in op.attrs.items() if key != "flags"}
        base = self.build.op(name, operands, type_, op.result.name, **attrs)
        if not shape.exact or type_ == "i64" or shape.is_uniform:
            return Lanes(base, stride)
        if op.name in _PER_BIT:
            wide = self.build.op(name, [self.wide(each, row) for each in op.operands], "i64")
        elif op.name == "select":
            wide = self.build.op(name, [operands[0], *(self.wide(each, row) for each in op.operands[1:])], "i64")
        elif op.name == "trunc":
            wide = self.wide(op.operands[0], row)
        else:
            wide = self.build.op("sext", [base], "i64")
        return Lanes(base, stride, wide)

    def _address(self, op: Op, shape: Shape, row: int) -> Lanes:
        pointer, *indices = op.operands
        if not shape.dims & X:
            return Lanes(self._copy(op, row))
        attrs = {key: value for key, value in op.attrs.items() if key != "inbounds"}
        if shape.stride is not None:
            bases = [self.wide(each, row) for each in indices]
            return Lanes(
                self.build.op("gep", [self.scalar(pointer, row), *bases], "ptr", op.result.name, **attrs), shape.stride
            )
        return Lanes(vector=self._indexed(op, row))

    def _indexed(self, op: Op, row: int) -> Operand:
        """A vector of addresses. Scalar parts first, and vectors of one index: what gathers are made of."""
        pointer, *indices = op.operands
        attrs = {key: value for key, value in op.attrs.items() if key != "inbounds"}
        parts = list(zip(indices, _strides(op), strict=True))
        even = [(each, by) for each, by in parts if self.shapes.of(each).is_uniform]
        rest = [(each, by) for each, by in parts if not self.shapes.of(each).is_uniform]
        start = self.get(pointer, row)
        base = self.vector(pointer, row) if start.vector is not None or start.stride else self.scalar(pointer, row)
        if even or attrs.get("offset"):
            numbers = [self.scalar(each, row) for each, _ in even]
            base = self.build.op(
                "gep", [base, *numbers], base.type, **{**attrs, "strides": tuple(by for _, by in even)}
            )
        type_ = types.vector("ptr", self.width)
        vectors = [self.vector(each, row) for each, _ in rest]
        if not vectors:
            return base
        strides = tuple(by for _, by in rest)
        return self.build.op("gep", [base, *vectors], type_, op.result.name, offset=0, strides=strides)

    def _lanewise(self, op: Op, row: int) -> Operand:
        self.check_scalar(op)
        radicand = root_under_one(op, self.shapes.ranges.definitions)
        name = {"float": "rsqrtf", "double": "rsqrt"}.get(op.result.type) if radicand is not None else None
        callee = self.calls.library(name, self.width, False) if name is not None else None
        if radicand is not None and callee is not None:
            given = self.vector(radicand, row)
            return self.build.op("call", [given], given.type, callee=callee, effects="none", speculatable=True)
        operands = [self.vector(each, row) for each in op.operands]
        if op.name == "select" and self.shapes.of(op.operands[0]).is_uniform:
            operands[0] = self.scalar(op.operands[0], row)
        if op.name in DIVISIONS:
            return self._divided(op, operands)
        return self.build.op(op.name, operands, types.vector(op.result.type, self.width), op.result.name, **op.attrs)

    def _divided(self, op: Op, operands: list[Operand]) -> Operand:
        """A division: defined for any divisor, so that threads that are not active may divide, too."""
        if isinstance(op.operands[1], Const) or types.bits(op.result.type) > 32:
            return self.build.op(op.name, operands, operands[0].type, **op.attrs)
        return self._divided_as_doubles(op, *operands)

    def _divided_as_doubles(self, op: Op, dividend: Operand, divisor: Operand) -> Operand:
        """Integers of 32 bits: the quotient of doubles is exact enough, as k - 1/b and k are 2^-32 apart at least. What
        no double says, of divisors 0 and -1, is chosen afterwards."""
        signed, type_ = op.name[0] == "s", dividend.type
        double = types.vector("double", self.width)
        x, y = (self.build.op("sitofp" if signed else "uitofp", [each], double) for each in (dividend, divisor))
        ratio = self.build.op("fdiv", [x, y], double)
        result = self.build.op("fptosi" if signed else "fptoui", [ratio], type_)
        is_positive = self.shapes.ranges.of(op.operands[1], signed=True)[0] > 0
        if signed and not is_positive:
            zero = self.spread(int_const(op.result.type, 0), 0)
            negative = self.build.op("sub", [zero, dividend], type_)
            result = self._where_divisor_is(-1, divisor, negative, result)
        if op.name.endswith("rem"):
            whole = self.build.op("mul", [result, divisor], type_)
            result = self.build.op("sub", [dividend, whole], type_)
        if is_positive:
            return result
        return self._where_divisor_is(0, divisor, self.spread(int_const(op.result.type, -1), 0), result)

    def _where_divisor_is(self, number: int, divisor: Operand, then: Operand, otherwise: Operand) -> Operand:
        wanted = self.spread(int_const(types.element_of(divisor.type), number), 0)
        test = self.build.op("icmp", [divisor, wanted], types.vector("i1", self.width), pred="eq")
        return self.build.op("select", [test, then, otherwise], divisor.type)

    def check_scalar(self, op: Op) -> None:
        """No vectors of vectors."""
        for value in (*op.operands, *op.results):
            if types.is_vector(value.type) or types.is_aggregate(value.type):
                raise Unvectorisable(f"`{op.name}` of {value.type} differs between threads", op)


def _strides(op: Op) -> tuple[int, ...]:
    strides = op.attrs.get("strides", ())
    assert isinstance(strides, tuple)
    return tuple(int(str(each)) for each in strides)
