# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels without barriers, for the vectoriser: what threads compute does not depend on their order.

Every thread reads %in (256 i32), %small (256 i8), and its own slots of %p, writes its own slots only, and updates the
accumulators %acc with atomics whose order does not matter. Loops are bounded, indices stay inside, flags (nsw) hold.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"
PARAMS = f"kernel @k({LAUNCH}, %n: i32, %m: i64, %p: ptr, %in: ptr, %small: ptr, %acc: ptr)"
INPUTS, SLOTS, ACCUMULATORS = 256, 8, 8
# (bits, name): i1 are conditions, `small` numbers lie within +-2^16, so that sums of a few do not wrap.
TYPES = ("i32", "i32", "i32", "i64", "float", "i16", "i8", "double")
_SIGNED, _UNSIGNED = ("slt", "sle", "sgt", "sge"), ("ult", "ule", "ugt", "uge", "eq", "ne")
_ATOMICS = ("add", "and", "or", "xor", "max", "min", "umax", "umin")
_IDS = """%tile: i32 = mul %bdx, %bdy
%volume: i32 = mul %tile, %bdz
%threads: i32 = mul %volume, %gdx
%first: i32 = mul %bx, %volume
%row: i32 = mul %ty, %bdx
%plane: i32 = mul %tz, %tile
%flat: i32 = add %row, %plane
%tid: i32 = add %flat, %tx
%gid: i32 = add %first, %tid
%wide: i64 = zext %gid
%n5: i32 = and %n, 7:i32
%corner: i32 = mul %bx, %bdx
%column: i32 = add %corner, %tx [flags=(nsw)]"""


@dataclass(frozen=True)
class _Scope:
    """What a place in the text may name: values by type; numbers that stay small; addresses of an i32 of %in."""

    values: dict[str, list[str]]
    small: list[str]
    pointers: list[str]
    arrays: list[str]

    def inner(self) -> _Scope:
        return _Scope({type_: list(names) for type_, names in self.values.items()}, list(self.small),
                      list(self.pointers), list(self.arrays))  # fmt: skip


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.made = 0
        self.left = rng.choice((15, 30, 45))
        self.depth = 0
        words = ["%tid", "%tx", "%ty", "%n", "%gid", "%bx", "%column", "%n5"]
        self.scope = _Scope({"i32": words, "i64": ["%m", "%wide"]},
                            ["%tx", "%ty", "%tid", "%n5", "%column"], [], [])  # fmt: skip

    def name(self) -> str:
        self.made += 1
        return f"%v{self.made}"

    def emit(self, type_: str, text: str) -> str:
        name = self.name()
        self.lines.append(f"{name}: {type_} = {text}")
        return name

    def keep(self, type_: str, name: str) -> str:
        self.scope.values.setdefault(type_, []).append(name)
        return name

    def constant(self, type_: str) -> str:
        if type_ in ("float", "double"):
            return f"{self.rng.choice((0.0, 1.0, -1.0, 0.5, 3.25, -17.0))}:{type_}"
        if type_ == "i1":
            return f"{self.rng.randint(0, 1)}:i1"
        width = int(type_[1:])
        value = self.rng.choice((0, 1, 2, 3, 5, 31, -1, -7, 1 << (width - 2), self.rng.getrandbits(width - 1)))
        return f"{value & ((1 << width) - 1)}:{type_}"

    def value(self, type_: str) -> str:
        known = self.scope.values.get(type_, [])
        if not known or self.rng.random() < 0.15:
            return self.constant(type_)
        # Recent ones are likelier, so that chains form.
        return known[-1 - min(int(self.rng.expovariate(0.35)), len(known) - 1)]

    # -- expressions

    def arithmetic(self) -> None:
        rng, type_ = self.rng, self.rng.choice(TYPES)
        if type_ in ("float", "double"):
            how = rng.choice(("fadd", "fmul", "fsub", "fneg", "cast", "fdiv"))
            if how == "fneg":
                self.keep(type_, self.emit(type_, f"fneg {self.value(type_)}"))
            elif how == "cast":
                low = self.emit("i32", f"and {self.value('i32')}, 1023:i32")
                self.keep(type_, self.emit(type_, f"{rng.choice(('sitofp', 'uitofp'))} {low}"))
            else:
                self.keep(type_, self.emit(type_, f"{how} {self.value(type_)}, {self.value(type_)}"))
            return
        name = rng.choice(("add", "add", "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr"))
        other = self.value(type_)
        if name in ("shl", "lshr", "ashr"):
            other = f"{rng.randrange(int(type_[1:]))}:{type_}"
        elif rng.random() < 0.3:
            other = self.constant(type_)
        self.keep(type_, self.emit(type_, f"{name} {self.value(type_)}, {other}"))

    def exact(self) -> None:
        """Arithmetic on small numbers, which does not wrap."""
        rng = self.rng
        a, b = rng.choice(self.scope.small), rng.choice((*self.scope.small, f"{rng.randint(-40, 40)}:i32"))
        how = rng.choice(("add", "add", "sub", "mul", "shl", "whole"))
        if how == "mul":
            made = self.emit("i32", f"mul {a}, {rng.choice((2, 3, -1, 4))}:i32 [flags=(nsw)]")
        elif how == "shl":
            made = self.emit("i32", f"shl {a}, {rng.randint(0, 3)}:i32 [flags=(nsw)]")
        elif how == "whole":
            name = rng.choice(("udiv", "urem", "lshr", "and", "sdiv", "ashr"))
            size = rng.choice((1, 3, 31, 63)) if name == "and" else rng.choice((4, 5, 16, 32))
            size = size % 6 if name in ("lshr", "ashr") else size
            made = self.emit("i32", f"{name} {a}, {size}:i32")
            self.keep("i32", made)
            return  # of negative numbers this may be large
        else:
            made = self.emit("i32", f"{how} {a}, {b} [flags=(nsw)]")
        self.keep("i32", made)
        if self.rng.random() < 0.3 and len(self.scope.small) < 9:
            self.scope.small.append(made)

    def cast(self) -> None:
        rng = self.rng
        kinds = [("sext", "i32", "i64"), ("zext", "i32", "i64"), ("trunc", "i64", "i32"), ("trunc", "i32", "i16"),
                 ("trunc", "i32", "i8"), ("sext", "i8", "i32"), ("zext", "i16", "i64"), ("sext", "i16", "i32"),
                 ("zext", "i1", "i32"), ("sext", "i1", "i8"), ("trunc", "i64", "i8"),
                 ("bitcast", "float", "i32"), ("fpext", "float", "double")]  # fmt: skip
        name, source, target = rng.choice(kinds)
        if source in self.scope.values:
            self.keep(target, self.emit(target, f"{name} {self.value(source)}"))

    def compare(self) -> str:
        rng = self.rng
        if rng.random() < 0.1:
            return self.keep("i1", self.emit("i1", f"fcmp {self.value('float')}, {self.value('float')} [pred=olt]"))
        type_ = rng.choice(("i32", "i32", "i64", "i8"))
        left = rng.choice(self.scope.small) if type_ == "i32" and rng.random() < 0.6 else self.value(type_)
        right = f"{rng.randint(0, 40)}:i32" if type_ == "i32" and rng.random() < 0.6 else self.value(type_)
        if type_ == "i32" and rng.random() < 0.4:  # about half of the threads, anyhow
            left = self.emit("i32", f"and {self.value('i32')}, {rng.choice((1, 3, 7))}:i32")
            right = f"{rng.randint(0, 4)}:i32"
        made = self.emit("i1", f"icmp {left}, {right} [pred={rng.choice((*_SIGNED, *_UNSIGNED))}]")
        if "i1" in self.scope.values and rng.random() < 0.2:
            made = self.emit("i1", f"{rng.choice(('and', 'or', 'xor'))} {made}, {self.value('i1')}")
        return self.keep("i1", made)

    def condition(self) -> str:
        return self.compare() if self.rng.random() < 0.6 else self.value("i1")

    def select(self) -> None:
        type_ = self.rng.choice(TYPES)
        self.keep(type_, self.emit(type_, f"select {self.condition()}, {self.value(type_)}, {self.value(type_)}"))

    def call(self) -> None:
        rng = self.rng
        name = rng.choice(("smin", "smax", "umin", "umax", "ctpop", "abs", "fshl", "cttz"))
        args = {"ctpop": 1, "fshl": 3, "abs": 1, "cttz": 1}.get(name, 2)
        operands = [self.value("i32") for _ in range(args)]
        if name in ("abs", "cttz"):
            operands.append("0:i1")
        text = f"call {', '.join(operands)} [callee=llvm.{name}.i32, effects=none, speculatable=true]"
        self.keep("i32", self.emit("i32", text))

    def divide(self) -> None:
        """By a number that is not 0; or only where it is not."""
        rng = self.rng
        type_ = rng.choice(("i32", "i32", "i64", "i16"))
        name = rng.choice(("udiv", "urem", "sdiv", "srem"))
        low = self.emit(type_, f"and {self.value(type_)}, 15:{type_}")
        if rng.random() < 0.5:
            divisor = self.emit(type_, f"or {low}, 1:{type_}")
            self.keep(type_, self.emit(type_, f"{name} {self.value(type_)}, {divisor}"))
            return
        some = self.emit("i1", f"icmp {low}, 0:{type_} [pred=ne]")
        number, other, result = self.value(type_), self.value(type_), self.name()
        self.lines.append(f"{result}: {type_} = if {some} {{")
        quotient = self.emit(type_, f"{name} {number}, {low}")
        self.lines += [f"yield {quotient}", "} {", f"yield {other}", "}"]
        self.keep(type_, result)

    # -- memory

    def inside(self) -> str:
        """An index below INPUTS."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.35:
            start = rng.choice(self.scope.small)
            up = self.emit("i32", f"add {start}, {rng.randint(0, 20)}:i32 [flags=(nsw)]")
            low = self.emit("i1", f"icmp {up}, {INPUTS}:i32 [pred=ult]")
            return self.emit("i32", f"select {low}, {up}, {rng.randrange(INPUTS)}:i32")
        if kind < 0.5:
            return rng.choice((f"{rng.randrange(INPUTS)}:i32", "%n5"))
        return self.emit("i32", f"and {self.value('i32')}, {INPUTS - 1}:i32")

    def load(self) -> None:
        rng = self.rng
        if rng.random() < 0.25:
            address = self.emit("ptr", f"gep %small, {self.inside()} [offset=0, strides=(1)]")
            self.keep("i8", self.emit("i8", f"load {address} [align=1]"))
            return
        if self.scope.pointers and rng.random() < 0.3:
            address = rng.choice(self.scope.pointers)
        else:
            address = self.emit("ptr", f"gep %in, {self.inside()} [offset=0, strides=(4)]")
            self.scope.pointers.append(address)
        type_ = rng.choice(("i32", "i32", "i32", "float"))
        loaded = self.emit(type_, f"load {address} [align=4]")
        if type_ == "float":  # its bits may be a NaN: only their comparison and sum are looked at
            number = self.emit("i1", f"fcmp {loaded}, {loaded} [pred=ord]")
            loaded = self.emit("float", f"select {number}, {loaded}, 2.5:float")
        self.keep(type_, loaded)

    def guarded_load(self) -> None:
        """if (i < INPUTS) x = in[i]: where i is a row of neighbours."""
        rng = self.rng
        index, type_ = rng.choice(self.scope.small), rng.choice(("i32", "i16"))
        fine = self.emit("i1", f"icmp {index}, {INPUTS}:i32 [pred=ult]")
        if rng.random() < 0.5:
            fine = self.emit("i1", f"select {fine}, {self.condition()}, 0:i1")
        other, result = self.value(type_), self.name()
        self.lines.append(f"{result}: {type_} = if {fine} {{")
        wide = self.emit("i64", f"sext {index}")
        address = self.emit("ptr", f"gep %in, {wide} [offset=0, strides=({4 if type_ == 'i32' else 2})]")
        loaded = self.emit(type_, f"load {address} [align=2]")
        self.lines += [f"yield {loaded}", "} {", f"yield {other}", "}"]
        self.keep(type_, result)

    def slot(self) -> str:
        """The address of one of the thread's own slots: rows by thread or by slot, upwards or downwards."""
        rng = self.rng
        number = rng.randrange(SLOTS // 2)
        if number == 0:
            last = self.emit("i32", "sub %threads, 1:i32 [flags=(nsw)]")
            down = self.emit("i32", "sub %threads, %gid [flags=(nsw)]")
            del last
            return self.emit("ptr", f"gep %p, {down} [offset=-4, strides=(4)]")
        if number == 1:
            return self.emit("ptr", f"gep %p, %threads, %gid [offset=0, strides=({4 * (SLOTS - 1)}, 4)]")
        if number == 2:
            place = self.emit("i32", f"mul %gid, {SLOTS - 4}:i32 [flags=(nsw)]")
            return self.emit("ptr", f"gep %p, %threads, {place} [offset={4 * rng.randrange(2)}, strides=(8, 4)]")
        return self.emit("ptr", "gep %p, %threads, %wide [offset=0, strides=(4, 4)]")

    def store(self) -> None:
        address = self.slot()
        if self.rng.random() < 0.3:
            self.keep("i32", self.emit("i32", f"load {address} [align=4]"))
        self.lines.append(f"store {self.value('i32')}, {address} [align=4]")

    def atomic(self) -> None:
        rng = self.rng
        number = rng.randrange(len(_ATOMICS))
        index = rng.choice((f"{rng.randrange(ACCUMULATORS)}:i32", "%n5", "", ""))
        index = index or self.emit("i32", f"and {self.value('i32')}, {ACCUMULATORS - 1}:i32")
        address = self.emit("ptr", f"gep %acc, {index} [offset={4 * ACCUMULATORS * number}, strides=(4)]")
        text = f"atomicrmw {address}, {self.value('i32')} [operation={_ATOMICS[number]}, ordering=monotonic]"
        self.emit("i32", text)

    def array(self) -> None:
        """A private array of 8 i32, filled."""
        if len(self.scope.arrays) > 1:
            return
        alloca = self.emit("ptr", "alloca [size=32, align=16]")
        for number in range(8):
            place = alloca
            if number:
                place = self.emit("ptr", f"gep {alloca} [offset={4 * number}, strides=()]")
            self.lines.append(f"store {self.value('i32')}, {place} [align=4]")
        self.scope.arrays.append(alloca)

    def private(self) -> None:
        if not self.scope.arrays:
            self.array()
        index = self.rng.choice(("%n5", "3:i32", "0:i32", ""))
        index = index or self.emit("i32", f"and {self.value('i32')}, 7:i32")
        array = self.rng.choice(self.scope.arrays)
        address = array if index == "0:i32" else self.emit("ptr", f"gep {array}, {index} [offset=0, strides=(4)]")
        if self.rng.random() < 0.5:
            self.lines.append(f"store {self.value('i32')}, {address} [align=4]")
        else:
            self.keep("i32", self.emit("i32", f"load {address} [align=4]"))

    # -- control

    def body(self, most: int) -> None:
        """A few statements."""
        self.depth += 1
        for _ in range(self.rng.randint(1, most)):
            self.statement()
        self.depth -= 1

    def nested(self, write: Callable[[], None]) -> None:
        """What `write` defines is not seen outside."""
        outer, self.scope = self.scope, self.scope.inner()
        write()
        self.scope = outer

    def branch(self) -> None:
        rng = self.rng
        condition = self.condition()
        types_ = [
            rng.choice((*TYPES, "ptr") if self.scope.pointers else TYPES) for _ in range(rng.choice((0, 1, 1, 2)))
        ]
        results = [self.name() for _ in types_]
        poison = rng.random() < 0.3
        heads = ", ".join(f"{name}: {type_}" for name, type_ in zip(results, types_, strict=True))
        self.lines.append(f"{heads} = if {condition} {{" if results else f"if {condition} {{")

        def side(filled: bool, nothing: bool) -> None:
            if filled:
                self.body(3)
            made = [f"poison:{type_}" if nothing else self.typed(type_) for type_ in types_]
            self.lines.append(f"yield {', '.join(made)}".rstrip())

        self.nested(lambda: side(True, False))
        self.lines.append("} {")
        self.nested(lambda: side(not poison and rng.random() < 0.5, poison))
        self.lines.append("}")
        if not poison:
            for name, type_ in zip(results, types_, strict=True):
                self.give(type_, name)
        elif results and rng.random() < 0.8:  # of use where the condition holds again
            self.lines.append(f"if {condition} {{")

            def again() -> None:
                for name, type_ in zip(results, types_, strict=True):
                    self.give(type_, name)
                self.body(3)

            self.nested(again)
            self.lines += ["yield", "} {", "yield", "}"]

    def typed(self, type_: str) -> str:
        return self.rng.choice(self.scope.pointers) if type_ == "ptr" else self.value(type_)

    def give(self, type_: str, name: str) -> None:
        if type_ == "ptr":
            self.scope.pointers.append(name)
        else:
            self.keep(type_, name)

    def carried(self) -> tuple[list[str], list[str]]:
        types_ = [self.rng.choice((*TYPES, "ptr") if self.scope.pointers else TYPES)
                  for _ in range(self.rng.choice((0, 1, 1, 2, 3)))]  # fmt: skip
        return types_, [self.typed(type_) for type_ in types_]

    def counted(self) -> None:
        """A `for` of at most some 70 iterations; threads may start and end where they like."""
        rng = self.rng
        types_, init = self.carried()
        kind = rng.randrange(5)
        pred, type_ = rng.choice(("slt", "ult")), "i32"
        if kind == 0:
            lower, upper, step = f"{rng.randint(0, 3)}:i32", rng.choice(("%n5", f"{rng.randint(0, 5)}:i32")), "1:i32"
        elif kind == 1:
            upper = self.emit("i32", f"and {self.value('i32')}, 7:i32")
            lower, step = rng.choice(("0:i32", "%n5")), f"{rng.randint(1, 2)}:i32"
        elif kind == 2:  # grid stride
            lower, upper = rng.choice(("%tx", "%tid", "%column")), f"{rng.choice((0, 5, 33, 64, 100))}:i32"
            step = rng.choice((f"{rng.choice((8, 32))}:i32", "%bdx"))
        elif kind == 3:  # downwards
            upper = f"{rng.randint(-3, 3)}:i32"
            lower = rng.choice((self.emit("i32", f"and {self.value('i32')}, 7:i32"), f"{rng.randint(0, 5)}:i32"))
            step, pred = f"{-rng.randint(1, 2)}:i32", "sgt"
        else:
            start = self.emit("i32", f"sub {rng.choice(self.scope.small)}, {rng.randint(0, 40)}:i32 [flags=(nsw)]")
            lower, type_, step = self.emit("i64", f"sext {start}"), "i64", f"{rng.choice((16, 64))}:i64"
            upper, pred = f"{rng.randint(-20, 90)}:i64", "slt"
        counter = self.name()
        params, results = [self.name() for _ in types_], [self.name() for _ in types_]
        heads = ", ".join(f"{name}: {each}" for name, each in zip(results, types_, strict=True))
        text = ", ".join([lower, upper, step, *init])
        self.lines.append(f"{heads}{' = ' if results else ''}for {text} [pred={pred}] {{")
        inner = ", ".join([f"{counter}: {type_}", *(f"{n}: {t}" for n, t in zip(params, types_, strict=True))])
        self.lines[-1] += f" ({inner})"

        def write() -> None:
            self.keep(type_, counter)
            if type_ == "i32" and kind in (0, 1, 2, 3):
                self.scope.small.append(counter)
            for name, each in zip(params, types_, strict=True):
                self.give(each, name)
            self.body(3)
            self.lines.append(f"yield {', '.join(self.typed(each) for each in types_)}".rstrip())

        self.nested(write)
        self.lines.append("}")
        for name, each in zip(results, types_, strict=True):
            self.give(each, name)

    def until(self) -> None:
        """A `while` that a flag, or a count of at most 6, ends."""
        rng = self.rng
        types_, init = self.carried()
        all_ = ["i32", *types_]
        uniform = rng.random() < 0.25
        heads, before, after, results = ([self.name() for _ in all_] for _ in range(4))
        del heads
        text = ", ".join(f"{name}: {each}" for name, each in zip(results, all_, strict=True))
        start = rng.choice(("0:i32", "%n5")) if uniform else self.emit("i32", f"and {self.value('i32')}, 3:i32")
        self.lines.append(f"{text} = while {', '.join([start, *init])} {{")
        self.lines[-1] += f" ({', '.join(f'{n}: {t}' for n, t in zip(before, all_, strict=True))})"

        def test() -> None:
            for name, each in zip(before, all_, strict=True):
                self.give(each, name)
            if rng.random() < 0.5:
                self.body(2)
            going = self.emit("i1", f"icmp {before[0]}, 6:i32 [pred=slt]")
            if not uniform and rng.random() < 0.7:
                going = self.emit("i1", f"select {going}, {self.condition()}, 0:i1")
            passed = [self.typed(each) if rng.random() < 0.4 else name
                      for name, each in zip(before[1:], types_, strict=True)]  # fmt: skip
            self.lines.append(f"condition {', '.join([going, before[0], *passed])}")

        self.nested(test)
        self.lines.append(f"}} {{ ({', '.join(f'{n}: {t}' for n, t in zip(after, all_, strict=True))})")

        def turn() -> None:
            for name, each in zip(after[1:], types_, strict=True):
                self.give(each, name)
            self.keep("i32", after[0])
            self.body(3)
            more = self.emit("i32", f"add {after[0]}, 1:i32 [flags=(nsw)]")
            self.lines.append(f"yield {', '.join([more, *(self.typed(each) for each in types_)])}")

        self.nested(turn)
        self.lines.append("}")
        for name, each in zip(results, all_, strict=True):
            self.give(each, name)

    def statement(self) -> None:
        self.left -= 1
        rng = self.rng
        if self.left > 0 and self.depth < 4 and rng.random() < 0.4:
            rng.choice((self.branch, self.branch, self.counted, self.until, self.branch))()
            return
        rng.choice((self.arithmetic, self.arithmetic, self.exact, self.exact, self.cast, self.compare, self.select,
                    self.call, self.divide, self.load, self.load, self.guarded_load, self.store, self.store,
                    self.atomic, self.private))()  # fmt: skip

    def kernel(self) -> str:
        for _ in range(self.rng.randint(4, 9)):
            self.statement()
        for type_, names in sorted(self.scope.values.items()):
            total = names[-1]
            if type_ in ("float", "double"):
                number = self.emit("i1", f"fcmp {total}, {total} [pred=ord]")
                total = self.emit(type_, f"select {number}, {total}, 2.5:{type_}")
                total = self.emit("i32" if type_ == "float" else "i64", f"bitcast {total}")
                type_ = "i32" if type_ == "float" else "i64"
            if type_ != "i32":
                total = self.emit("i32", f"{'trunc' if type_ == 'i64' else 'zext'} {total}")
            self.lines.append(f"store {total}, {self.slot()} [align=4]")
        body = "\n".join([*_IDS.splitlines(), *self.lines])
        return (
            f"{PARAMS} {{\ngrid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)\n"
            f"block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)\n{body}\nyield\n}}\nyield\n}}\nyield\n}}\n"
        )


def random_kernel(seed: int) -> str:
    """The text of a kernel (%n: i32, %m: i64, %p, %in, %small, %acc: ptr); blocks in x only."""
    return _Writer(random.Random(f"threads {seed}")).kernel()
