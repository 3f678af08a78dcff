# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structured ops as basic blocks: the body of one LLVM function.

    %s = for %lb, %ub, 1, 0.0 [pred=slt] { (%i, %acc)      for.head:  %i = phi [%lb, before], [%i.next, latch]
      ... yield %y                                                    %acc = phi [0.0, before], [%y, latch]
    }                                                 ==>             br (icmp slt %i, %ub), for.body, for.end
                                                           for.body:  ... %i.next = add %i, 1; br for.head

A short sum in a loop whose trip count is loaded (loaded_trip_counts.py) is unrolled with a test for the exit before
each copy of its body: fewer jumps, and still one exit to mispredict.

Thread loops (`block`, `lane`) are loops whose iterations are independent between barriers. LLVM's vectoriser is not
told so: under `llvm.loop.parallel_accesses` it also gives up the order of accesses within one iteration, which a scan
that reads through one index what it wrote through another needs (tests/programs/scan_blelloch.cu). Where vectors do not
pay, says our own vectoriser (`one_by_one`), LLVM's is not to try: it gathers what the loop before has scattered, and
each gather waits for all those stores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from warploom.analysis.loaded_trip_counts import LONGEST_SUM, is_short_sum
from warploom.backend.function_text import FunctionText, Sink
from warploom.backend.gpu_division import defines_all, guarded
from warploom.backend.loom_atomics import OPERATIONS, plain_exchange, plain_update
from warploom.backend.loom_choices import Place, access_at, choice_of_sizes, close_choice, open_choice
from warploom.backend.loom_conversions import converts_vectors, saturating_conversion
from warploom.backend.loom_ops import TEXT, flags, quoted, words
from warploom.backend.loom_vectors import INTRINSICS, SEVERAL, call, declaration, intrinsic, splat
from warploom.core.deferred import deferred
from warploom.core.type_names import TYPE_CHECKING
from warploom.ir.core import Const, Op, Operand, Region, Value, walk
from warploom.ir.dot_products import dot_product
from warploom.ir.ops import OF_LANES, OPS, PRIVATE, SET_THREAD, SET_THREAD_INDEX, WARP_SIZE, Effect
from warploom.ir.properties import ABI_WITHOUT_THREAD
from warploom.ir.vector_functions import vector_mathematics
from warploom.passes.vector.vectorise import ONE_BY_ONE

if TYPE_CHECKING:
    from warploom.backend import loom_scattered
else:
    loom_scattered = deferred("warploom.backend.loom_scattered")

SPIN_POINT = "__warploom_spin_point"

COPIES = 4  # of the body of a short sum, each behind a test of its own, and of a short turn, behind one test

# Of the device ABI, what does not ask which thread calls it. LLVM's intrinsics and the C library never do.
_CALLS = INTRINSICS | {"asm", "memcpy", "memmove", "memset"}


class Code(FunctionText):
    """One function while it is written."""

    def __init__(self, sink: Sink, scope: str = "") -> None:
        super().__init__(sink, scope)
        self.thread: tuple[Operand, ...] = ()  # (tx, ty, tz) or (warp, lane) inside of a thread loop
        self.warp: Operand | None = None
        self.unrolls: Callable[[Region], bool] = lambda _: True  # whether LLVM may unroll the loop around a region
        self.loaded_trip_count: frozenset[Region] = frozenset()  # bodies of loops whose trip count each thread loads
        self.takes_gathers_apart = False  # LLVM does so, lane by lane
        self.has_mask_registers = False
        self.chosen: dict[Op, Place] = {}  # accesses of a choice (loom_choices.py)

    # -- ops

    def region(self, region: Region) -> list[str]:
        """Write a region; the names of what its terminator passes on."""
        for op in region.body:
            self.op(op)
        return [self.name(each) for each in region.terminator.operands]

    def op(self, op: Op) -> None:
        """Write one op."""
        place = self.chosen.get(op)
        handler = _handler(type(self), op.name) if place is None else None
        if handler is not None:
            handler(self, op)
            return
        text = self._text(op) if place is None else access_at(place, op, self)
        if op.results:
            text = f"{self.define(op.result)} = {text}"
        self.line(text, op.loc, call=op.name in _CALLS)

    def _text(self, op: Op) -> str:
        """What stands after `%result = ` for an op that is one instruction."""
        if op.name in TEXT:
            return TEXT[op.name](op, self.name)
        if op.name in SEVERAL:
            return SEVERAL[op.name](op, self)
        if op.name in INTRINSICS:
            self.sink.declare(intrinsic(op), declaration(op))
            return call(op, self.name)
        raise AssertionError(f"{op.name} in the emitter: no pass lowered it")

    def _op_gather(self, op: Op) -> None:
        self.line(f"{self.define(op.result)} = {self._gathered(op)}", op.loc, call=True)

    def _gathered(self, op: Op) -> str:
        if op.attrs.get("by_lanes"):
            return loom_scattered.gather_by_lanes(op, self)
        return loom_scattered.gather_by_words(op, self) if loom_scattered.goes_by_words(op) else self._text(op)

    def _op_gather_near(self, op: Op) -> None:
        text = loom_scattered.gather_near(op, self, self._gathered)
        self.line(f"{self.define(op.result)} = {text}", op.loc, call=True)

    def _op_scatter(self, op: Op) -> None:
        if loom_scattered.goes_by_lanes(op):
            loom_scattered.scatter_by_lanes(op, self)
        else:
            self.line(self._text(op), op.loc, call=True)

    def _op_scatter_near(self, op: Op) -> None:
        loom_scattered.scatter_near(op, self, self._op_scatter)

    def _op_masked_load(self, op: Op) -> None:
        text = loom_scattered.load_by_lanes(op, self) if op.attrs.get("by_lanes") else self._text(op)
        self.line(f"{self.define(op.result)} = {text}", op.loc, call=True)

    def _op_masked_store(self, op: Op) -> None:
        if op.attrs.get("by_lanes"):
            loom_scattered.store_by_lanes(op, self)
        elif op.attrs.get("often_all"):
            loom_scattered.store_all_or_some(op, self, self._text(op))
        else:
            self.line(self._text(op), op.loc, call=True)

    def _op_splat(self, op: Op) -> None:
        self.names[op.result] = splat(op, self, self.has_mask_registers)

    def _op_alloca(self, op: Op) -> None:
        size, align = int(str(op.attrs["size"])), int(str(op.attrs.get("align", 1)))
        self.names[op.result] = name = self.stack(op.result.name or "local", size, max(align, 1))
        # One slot serves every time it is reached; what was in it before is gone.
        self.line(f"call void @llvm.lifetime.start.p0(i64 {size}, ptr {name})", op.loc, call=True)

    def _op_scratch(self, op: Op) -> None:
        assert op.attrs["level"] == "warp", f"scratch of level {op.attrs['level']} is out of place"
        size, align = int(str(op.attrs["size"])), int(str(op.attrs.get("align", 1)))
        self.names[op.result] = self.stack(op.result.name or "scratch", size * WARP_SIZE, max(align, 64))

    def _op_atomicrmw(self, op: Op) -> None:
        if op.attrs.get(PRIVATE) and op.attrs["operation"] in OPERATIONS:
            self.names[op.result] = plain_update(op, self, self.line, self.sink.declare)
        else:
            self.line(f"{self.define(op.result)} = {TEXT[op.name](op, self.name)}", op.loc)

    def _op_cmpxchg(self, op: Op) -> None:
        if op.attrs.get(PRIVATE):
            self.names[op.result] = plain_exchange(op, self, self.line)
        else:
            self.line(f"{self.define(op.result)} = {TEXT[op.name](op, self.name)}", op.loc)

    def _division(self, op: Op) -> None:
        dividend, divisor = map(self.name, op.operands)
        if defines_all(op.name, op.result.type, divisor):
            self.line(f"{self.define(op.result)} = {TEXT[op.name](op, self.name)}", op.loc)
            return
        for line in guarded(op.name, op.result.type, dividend, divisor, self.define(op.result)):
            self.line(line, op.loc)

    _op_udiv = _op_sdiv = _op_urem = _op_srem = _division

    # -- calls

    def _op_call(self, op: Op) -> None:
        if self.sink.is_x86 and converts_vectors(op):
            text = saturating_conversion(op, self)
            self.line(f"{self.define(op.result)} = {text}", op.loc)
            return
        if self.sink.refer_callee(op):
            self._set_thread()
        callee, arguments = str(op.attrs["callee"]), op.operands
        if callee.startswith("llvm.abs.i"):
            arguments = [self._frozen(arguments[0]), arguments[1]]
        self._call(op, f"@{quoted(callee)}", arguments)

    def _frozen(self, operand: Operand) -> Value:
        """A number without its flags: of the absolute value of a difference that cannot wrap LLVM makes two
        subtractions and a choice, of another one a subtraction, a negation and a choice."""
        frozen = Value(operand.type)
        self.names[frozen] = self.value("frozen", f"freeze {operand.type} {self.name(operand)}")
        return frozen

    def _op_call_indirect(self, op: Op) -> None:
        if op.attrs.get("asks", True):
            self._set_thread()
        self._call(op, self.name(op.operands[0]), op.operands[1:])

    def _call(self, op: Op, callee: str, arguments: Sequence[Operand]) -> None:
        result = op.results[0].type if op.results else "void"
        type_ = f"{result} ({', '.join([*strings(op, 'types'), '...'])})" if op.attrs.get("varargs") else result
        abi = strings(op, "abi") or ("",) * (len(arguments) + 1)
        listed = [words(each.type, how, self.name(each)) for each, how in zip(arguments, abi[1:], strict=True)]
        text = f"{words('call', flags(op), abi[0], type_)} {callee}({', '.join(listed)})"
        if op.results:
            text = f"{self.define(op.result)} = {text}"
        self.line(text, op.loc, call=True)
        if op.attrs.get("noreturn"):
            self.line("unreachable")
            self.start(self.labels("after", "noreturn")[0])

    def _set_thread(self) -> None:
        """Tell the runtime which thread the next call belongs to."""
        if not self.thread:
            return
        numbers = [self.name(each) for each in self.thread]
        if len(numbers) == 2:
            self.sink.use(SET_THREAD_INDEX)
            first = self.value("first", f"mul i32 {numbers[0]}, {WARP_SIZE}")
            index = self.value("thread", f"add i32 {first}, {numbers[1]}")
            self.line(f"call void @{SET_THREAD_INDEX}(i32 {index})", call=True)
        else:
            self.sink.use(SET_THREAD)
            self.line(f"call void @{SET_THREAD}({', '.join(f'i32 {each}' for each in numbers)})", call=True)

    def _loop_mark(self, *regions: Region, by_vectors: bool = True, is_while: bool = False) -> str:
        """What LLVM is told of a loop."""
        # A `while` may go on for ever, as on a GPU, and what follows it is then never reached.
        ends = not any(each.name == "while" for region in regions for each in walk(region))
        marks = ['!{!"llvm.loop.mustprogress"}'] if ends and not is_while else []
        if not any(map(self.unrolls, regions)):
            marks.append('!{!"llvm.loop.unroll.disable"}')
        if not self.loaded_trip_count.isdisjoint(regions):
            marks.append('!{!"llvm.loop.unroll.runtime.disable"}')
        if not by_vectors or any(map(divides_under_condition, regions)):
            marks.append('!{!"llvm.loop.vectorize.enable", i1 false}')
        node = self.sink.metadata("!{" + ", ".join(["@", *marks]) + "}", distinct=True)
        return f", !llvm.loop {node}"

    def help(self, name: str, parameters: str, write: Callable[[Code], None], *, seldom: bool = True) -> str:
        """Define a function, if it is not there, that code calls, `seldom` where it hardly ever comes by; `write`
        writes its body. What a call of it begins with."""

        def lines() -> list[str]:
            code = Code(self.sink)
            write(code)
            code.line("ret void")
            return ["entry:", *code.entry, *code.lines]

        return self.sink.help(name, parameters, lines, seldom=seldom)

    def no_copies(self, *, by_vectors: bool = False) -> str:
        """The suffix of a branch that closes a loop which LLVM is to leave as it is, unless `by_vectors`."""
        marks = ["@", '!{!"llvm.loop.unroll.disable"}']
        if not by_vectors:
            marks.append('!{!"llvm.loop.vectorize.enable", i1 false}')
        node = self.sink.metadata("!{" + ", ".join(marks) + "}", distinct=True)
        return f", !llvm.loop {node}"

    # -- sequential control flow

    def _op_for(self, op: Op) -> None:
        lower, upper, step, *initial = op.operands
        type_, region = lower.type, op.region
        head, end = self.labels("for", "head", "end")
        before, begin = self.label, [self.name(each) for each in (lower, *initial)]
        self.jump(head)
        self.start(head)
        phis = [(self.reserve(), each, self.define(each)) for each in region.params]
        now = [name for _, _, name in phis]
        exits: list[tuple[str, list[str]]] = []
        together = are_short_turns(op)
        copies = COPIES if together or (region in self.loaded_trip_count and is_short_sum(region)) else 1
        add = words("add", flags(op) or (_wraps_not(op) if copies > 1 else ""))
        for copy in range(copies):
            self.names.update(zip(region.params, now, strict=True))
            if copy == 0 or not together:
                (body,) = self.labels("for", "body")
                test = self.value("more", f"icmp {op.attrs['pred']} {type_} {now[0]}, {self.name(upper)}", op.loc)
                self.line(f"br i1 {test}, label %{body}, label %{end}")
                exits.append((self.label, now[1:]))
                self.start(body)
            self._spin_point(op)
            following = self.region(region)
            next_ = self.value("next", f"{add} {type_} {now[0]}, {self.name(step)}", op.loc)
            now = [next_, *following]
        latch = self.label
        self.jump(head, self._loop_mark(region))
        for (slot, value, name), first, later in zip(phis, begin, now, strict=True):
            self.lines[slot] = _phi(name, value.type, (first, before), (later, latch))
        self.start(end)
        for index, result in enumerate(op.results):
            sources = [(names[index], label) for label, names in exits]
            if len(sources) == 1:
                self.names[result] = sources[0][0]
            else:
                self.lines.append(_phi(self.define(result), result.type, *sources))

    def waits(self, op: Op) -> bool:
        """Whether the loop `op` may wait for another thread or block."""
        return op.name == "while" and may_spin(op)

    def _spin_point(self, op: Op) -> None:
        if self.waits(op):
            self.sink.use(SPIN_POINT)
            self.line(f"call void @{SPIN_POINT}()", op.loc, call=True)

    def _op_while(self, op: Op) -> None:
        first, second = op.regions
        head, body, end = self.labels("while", "head", "body", "end")
        before, begin = self.label, [self.name(each) for each in op.operands]
        self.jump(head)
        self.start(head)
        phis = [(self.reserve(), each, self.define(each)) for each in first.params]
        self._spin_point(op)
        test, *passed = self.region(first)
        self.line(f"br i1 {test}, label %{body}, label %{end}", first.terminator.loc)
        self.start(body)
        for value, name in zip(second.params, passed, strict=True):
            self.names[value] = name
        following = self.region(second)
        latch = self.label
        self.jump(head, self._loop_mark(first, second, is_while=True))
        for (slot, value, name), start, later in zip(phis, begin, following, strict=True):
            self.lines[slot] = _phi(name, value.type, (start, before), (later, latch))
        self.start(end)
        for result, name in zip(op.results, passed, strict=True):
            self.names[result] = name

    def _op_if(self, op: Op) -> None:
        lines = self.scope or self.chosen  # or cases of a choice
        choice = None if lines else choice_of_sizes(op, takes_apart=self.takes_gathers_apart)
        if choice is None:
            self._if(op)
            return
        place = open_choice(choice, self)
        self.chosen = dict.fromkeys(choice.accesses, place)
        self._if(op)
        self.chosen = {}
        close_choice(choice, place, self)

    def _if(self, op: Op) -> None:
        then, otherwise, end = self.labels("if", "then", "else", "end")
        # A side that does nothing needs no block of its own, but both would come from one.
        sides = [(then, op.regions[0]), (otherwise if op.regions[1].body else end, op.regions[1])]
        self.line(f"br i1 {self.name(op.operands[0])}, label %{then}, label %{sides[1][0]}", op.loc)
        before = self.label
        passed: list[tuple[list[str], str]] = []
        for label, region in sides:
            if label != end:
                self.start(label)
            names = self.region(region)
            passed.append((names, before if label == end else self.label))
            if label != end:
                self.jump(end)
        self.start(end)
        for number, result in enumerate(op.results):
            sources = [(names[number], label) for names, label in passed]
            self.lines.append(_phi(self.define(result), result.type, *sources))

    # -- thread loops

    def _op_block(self, op: Op) -> None:
        axes = list(zip(op.region.params, op.operands, strict=True))
        self._thread_loops(op, axes, tuple(op.region.params))

    def _op_warp(self, op: Op) -> None:
        self.warp = op.region.params[0]
        self._nest(op, [(op.region.params[0], op.operands[0])])
        self.warp = None

    def _op_lane(self, op: Op) -> None:
        assert self.warp is not None, "lane outside of warp"
        lane = op.region.params[0]
        self._thread_loops(op, [(lane, op.operands[0])], (self.warp, lane))

    def _thread_loops(self, op: Op, axes: list[tuple[Value, Operand]], thread: tuple[Operand, ...]) -> None:
        outer, self.thread = self.thread, thread
        self._nest(op, axes)
        self.thread = outer

    def _nest(self, op: Op, axes: Sequence[tuple[Value, Operand]]) -> None:
        """Loops over `axes`, the first innermost, around the op's region. None round an axis of one thread."""
        if not axes:
            if self.sink.names_threads:
                self._set_thread()
            self.region(op.region)
            return
        *inner, (index, count) = axes
        if isinstance(count, Const) and count.value == 1:
            self.names[index] = "0"
            self._nest(op, inner)
            return
        head, body, end = self.labels("threads", "head", "body", "end")
        before, limit = self.label, self.name(count)
        self.jump(head)
        self.start(head)
        slot, name = self.reserve(), self.define(index)
        test = self.value("more", f"icmp slt i32 {name}, {limit}")
        self.line(f"br i1 {test}, label %{body}, label %{end}")
        self.start(body)
        self._nest(op, inner)
        next_ = self.value("next", f"add nuw nsw i32 {name}, 1")
        self.lines[slot] = _phi(name, "i32", ("0", before), (next_, self.label))
        self.jump(head, self._loop_mark(op.region, by_vectors=ONE_BY_ONE not in op.attrs))
        self.start(end)


@cache
def _handler(kind: type[Code], name: str) -> Callable[[Code, Op], None] | None:
    """What writes ops of this name that are not one instruction."""
    return getattr(kind, f"_op_{name}", None)


def strings(op: Op, key: str) -> tuple[str, ...]:
    """An attribute that is a tuple of strings; empty when the op has none."""
    found = op.attrs.get(key, ())
    assert isinstance(found, tuple), f"{op.name}: {key} is no tuple"
    return tuple(str(each) for each in found)


def are_short_turns(op: Op) -> bool:
    """Whether `op` is a loop over all threads of a vector with few ops: LLVM's last unrolling looks at no function that
    has vectors."""
    lower, upper, step, *carried = op.operands
    if not op.attrs.get(OF_LANES) or carried or len(op.region.body) > LONGEST_SUM:
        return False
    if not isinstance(upper, Const) or not isinstance(upper.value, int) or upper.value % COPIES != 0:
        return False
    counts_all = lower == Const(lower.type, 0) and step == Const(step.type, 1)
    return counts_all and not any(each.regions for each in op.region.body)


def _wraps_not(op: Op) -> str:
    """What is below the end of a `for` has a number above it."""
    by_one = isinstance(op.operands[2], Const) and op.operands[2].value == 1
    return {"slt": "nsw", "ult": "nuw"}.get(str(op.attrs["pred"]), "") if by_one else ""


def _phi(name: str, type_: str, *sources: tuple[str, str]) -> str:
    return f"  {name} = phi {type_} " + ", ".join(f"[ {value}, %{label} ]" for value, label in sources)


def asks_for_thread(callee: str) -> bool:
    """Whether a function that the runtime or LLVM provides may ask which thread calls it."""
    computes = callee in ABI_WITHOUT_THREAD or vector_mathematics(callee) is not None or dot_product(callee) is not None
    return callee.startswith("__warploom_") and not computes


# -- questions about ops


def is_ordered(op: Op) -> bool:
    """Whether an access is atomic or volatile."""
    return op.name in ("atomicrmw", "cmpxchg", "fence") or bool(op.attrs.get("volatile") or op.attrs.get("ordering"))


def divides_under_condition(region: Region, *, under: bool = False) -> bool:
    """Whether an `if` in a loop's body divides by a variable.

    LLVM 23's vectoriser puts such a division behind a mask and then stores through whatever the last lane made of it:
    `for (t = 0; t < 128; ++t) if (t == k) p[3u % n] = 1;` writes p[0]. No processor here divides vectors anyway.
    """
    for op in region.ops:
        if op.regions:
            inside = under or op.name == "if"
            if any(divides_under_condition(inner, under=inside) for inner in op.regions):
                return True
        elif under and OPS[op.name].effect is Effect.CHECKED and not isinstance(op.operands[1], Const):
            return True
    return False


def may_spin(op: Op) -> bool:
    """Whether a `while` may wait for another thread: something in it reads what others write."""
    return not op.attrs.get("bounded") and any(is_ordered(inner) for region in op.regions for inner in walk(region))
