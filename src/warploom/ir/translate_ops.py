# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Straight-line ops as Python source, for the interpreter: see translate.py.

Every value is a local variable. A memory access under a seed is preceded by a point where another thread may run
(`q`, the quantum, counts down to it) and a check of its alignment, with race detection by a note to the tracker.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from warploom.ir import intrinsics, types
from warploom.ir.core import Function, Op
from warploom.ir.literal import undefined_text
from warploom.ir.memory import OFFSET_MASK, codec, struct_format
from warploom.ir.scalar import ROUND_NAMES, expression, icmp_text, needs_rounding
from warploom.ir.translate_base import CannotTranslate
from warploom.ir.translate_vectors import VectorTranslator

# Calls at which another thread should run: the thread spins.
SPIN_CALLS = frozenset(("__warploom_spin_point", "__warploom_nanosleep"))

_ATOMIC_BINARY = {"add": "add", "sub": "sub", "and": "and", "or": "or", "xor": "xor", "fadd": "fadd", "fsub": "fsub"}
_ATOMIC_ORDER = {"max": "sgt", "min": "slt", "umax": "ugt", "umin": "ult"}


class OpTranslator(VectorTranslator):
    """Emits the ops of a region that have no regions themselves and wait for nobody."""

    def __init__(self, function: Function, seeded: bool, races: bool) -> None:
        super().__init__(function, seeded, races)
        self.emitters: dict[str, Callable[[Op], None]] = {
            "load": self.load,
            "store": self.store,
            "atomicrmw": self.atomicrmw,
            "cmpxchg": self.cmpxchg,
            "memcpy": self.copy,
            "memmove": self.copy,
            "memset": self.fill,
            "fence": self.fence,
            "alloca": self.allocate,
            "scratch": self.allocate,
            "gep": self.gep,
            "splat": self.splat,
            "reduce": self.reduce,
            **dict.fromkeys(("masked_load", "gather", "gather_near"), self.vector_load),
            **dict.fromkeys(("masked_store", "scatter", "scatter_near"), self.vector_store),
            "call": self.call,
            "call_indirect": self.call_indirect,
            "asm": self.assembly,
            "extractelement": self.extractelement,
            "insertelement": self.insertelement,
            "shufflevector": self.shufflevector,
            "extractvalue": self.extractvalue,
            "insertvalue": self.insertvalue,
        }

    def straight(self, op: Op) -> None:
        """Any op without regions that is no collective."""
        emitter = self.emitters.get(op.name)
        if emitter is not None:
            emitter(op)
        else:
            self.scalar(op)

    def scalar(self, op: Op) -> None:
        source, target = op.operands[0].type, op.result.type
        if op.name == "bitcast" and (types.is_vector(source) or types.is_vector(target)):
            pack, unpack = self.bind("pack", codec(source).pack), self.bind("unpack", codec(target).unpack)
            self.emit(f"{self.define(op.result)} = {unpack}({pack}({self.arg(op.operands[0])}))")
            return
        args = [self.arg(each) for each in op.operands]
        over = [types.is_vector(each.type) for each in op.operands]
        if op.name in ("freeze", "select") and not over[0]:
            text = args[0] if op.name == "freeze" else f"{args[1]} if {args[0]} else {args[2]}"
            self.emit(f"{self.define(op.result)} = {text}")
        elif any(over):
            self.elementwise(op, args)
        else:
            text = self.expression(op, args, source, target)
            name = self.define(op.result)
            if needs_rounding(op.name, target) and target == "float":
                self.emit(f"CELL[0] = {text}")
                self.emit(f"{name} = CELL[0]")
            elif needs_rounding(op.name, target):
                self.emit(f"{name} = {ROUND_NAMES[target]}({text})")
            else:
                self.emit(f"{name} = {text}")

    def expression(self, op: Op, args: list[str], source: str, target: str) -> str:
        text = expression(op.name, args, source, target, op.attrs, self.garbage(target))
        if text is None:
            raise CannotTranslate(op, f"not known for {source}")
        return text

    def elementwise(self, op: Op, args: list[str]) -> None:
        source, target = types.elements(op.operands[0].type)[0], types.elements(op.result.type)[0]
        names = ["x", "y", "z"][: len(args)]
        text = self.expression(op, names, source, target)
        if needs_rounding(op.name, target):
            text = f"{ROUND_NAMES[target]}({text})"
        each = f"{names[0]} in {args[0]}" if len(args) == 1 else f"{', '.join(names)} in zip({', '.join(args)})"
        self.emit(f"{self.define(op.result)} = tuple([{text} for {each}])")

    # -- aggregates --

    def extractvalue(self, op: Op) -> None:
        path = op.attrs["path"]
        assert isinstance(path, tuple)
        text = self.arg(op.operands[0]) + "".join(f"[{number}]" for number in path)
        self.emit(f"{self.define(op.result)} = {text}")

    def insertvalue(self, op: Op) -> None:
        aggregate, element = (self.arg(each) for each in op.operands)
        self.emit(f"{self.define(op.result)} = insert({aggregate}, {op.attrs['path']!r}, {element})")

    # -- memory --

    def access(self, op: Op, address: str, size: str, write: bool, promise: str = "align") -> None:
        """What comes before a memory access. `promise`: the attribute that says how `address` is aligned."""
        align = op.attrs.get(promise, 1)
        if self.seeded:
            self.scope.used.add("q")
            self.emit("q -= 1")
            self.emit("if q < 0: q = yield")
            if isinstance(align, int) and align > 1:
                self.emit(f"if {address} & {align - 1}: misaligned({address}, {align})")
        if self.races:
            atomic = op.name in ("atomicrmw", "cmpxchg") or bool(op.attrs.get("ordering"))
            self.emit(f"TRACKER.access({address}, {size}, {write}, {atomic}, {self.site(op)})")

    def load_text(self, type_: str, address: str) -> str:
        known = struct_format(type_)
        if known is None:
            return f"MEMORY.load({type_!r}, {address})"
        if types.is_vector(type_):
            return f"{self.packer('U', known)}(BUFFERS[{address} >> 32], {address} & {OFFSET_MASK})"
        return f"{self.packer('U', known)}(BUFFERS[{address} >> 32], {address} & {OFFSET_MASK})[0]"

    def store_text(self, type_: str, address: str, value: str) -> str:
        known = struct_format(type_)
        if known is None:
            return f"MEMORY.store({type_!r}, {address}, {value})"
        star = "*" if types.is_vector(type_) else ""
        return f"{self.packer('P', known)}(BUFFERS[{address} >> 32], {address} & {OFFSET_MASK}, {star}{value})"

    def packer(self, kind: str, known: str) -> str:
        name = f"{kind}{known}"
        if name not in self.namespace:
            how = struct.Struct("<" + known)
            self.namespace[name] = how.unpack_from if kind == "U" else how.pack_into
        return name

    def load(self, op: Op) -> None:
        address = self.named(self.arg(op.operands[0]))
        type_ = op.result.type
        self.access(op, address, str(codec(type_).size), write=False)
        padded = f"MEMORY.load_padded({type_!r}, {address})" if op.attrs.get("padded") else ""
        self.emit(f"{self.define(op.result)} = {padded or self.load_text(type_, address)}")

    def store(self, op: Op) -> None:
        value, address = self.arg(op.operands[0]), self.named(self.arg(op.operands[1]))
        type_ = op.operands[0].type
        self.access(op, address, str(codec(type_).size), write=True)
        self.emit(self.store_text(type_, address, value))

    def atomicrmw(self, op: Op) -> None:
        address, value = self.named(self.arg(op.operands[0])), self.arg(op.operands[1])
        type_ = op.result.type
        self.access(op, address, str(codec(type_).size), write=True)
        old = self.define(op.result)
        self.emit(f"{old} = {self.load_text(type_, address)}")
        self.emit(self.store_text(type_, address, self.atomic_text(op, old, value)))

    def atomic_text(self, op: Op, old: str, value: str) -> str:
        """The new value of an atomicrmw."""
        operation, type_ = str(op.attrs["operation"]), op.result.type
        if operation == "xchg":
            return value
        if types.is_vector(type_):
            raise CannotTranslate(op, f"{operation} of {type_}")
        if operation in _ATOMIC_BINARY:
            name = _ATOMIC_BINARY[operation]
            text = str(expression(name, [old, value], type_, type_, {}, "0"))
            return f"{ROUND_NAMES[type_]}({text})" if needs_rounding(name, type_) else text
        if operation in _ATOMIC_ORDER:
            return f"{old} if {icmp_text(_ATOMIC_ORDER[operation], old, value, types.bits(type_))} else {value}"
        if operation in ("fmax", "fmin", "fmaximum", "fminimum"):
            name = {"fmax": "maxnum", "fmin": "minnum"}.get(operation, operation[1:])
            return f"{self.bind('atomic', intrinsics.resolve('llvm.' + name, [type_] * 2, type_))}({old}, {value})"
        mask = (1 << types.bits(type_)) - 1
        texts = {
            "nand": f"({old} & {value}) ^ {mask}",
            "uinc_wrap": f"0 if {old} >= {value} else {old} + 1",
            "udec_wrap": f"{value} if {old} == 0 or {old} > {value} else {old} - 1",
            "usub_cond": f"{old} - {value} if {old} >= {value} else {old}",
            "usub_sat": f"max({old} - {value}, 0)",
        }
        if operation not in texts:
            raise CannotTranslate(op, f"operation {operation}")
        return texts[operation]

    def cmpxchg(self, op: Op) -> None:
        address, old, new = self.named(self.arg(op.operands[0])), self.arg(op.operands[1]), self.arg(op.operands[2])
        type_ = op.operands[1].type
        self.access(op, address, str(codec(type_).size), write=True)
        found, same = self.fresh("t"), self.fresh("t")
        self.emit(f"{found} = {self.load_text(type_, address)}")
        self.emit(f"{same} = {found} == {old}")
        self.emit(f"if {same}: {self.store_text(type_, address, new)}")
        self.emit(f"{self.define(op.result)} = ({found}, {same})")

    def copy(self, op: Op) -> None:
        to, source, size = (self.named(self.arg(each)) for each in op.operands)
        self.access(op, source, size, write=False, promise="align_from")
        self.access(op, to, size, write=True, promise="align_to")
        self.emit(f"MEMORY.write({to}, MEMORY.read({source}, {size}))")

    def fill(self, op: Op) -> None:
        to, byte, size = (self.named(self.arg(each)) for each in op.operands)
        self.access(op, to, size, write=True, promise="align_to")
        self.emit(f"MEMORY.write({to}, bytes([{byte}]) * {size})")

    def fence(self, _op: Op) -> None:
        """Memory is in order anyway."""

    def allocate(self, op: Op) -> None:
        size = str(op.attrs["size"])
        if op.name == "scratch":
            size += f" * {op.attrs['level']}_THREADS".upper()
        name = self.define(op.result)
        self.scope.used.add("L")
        self.emit(f"{name} = MEMORY.allocate_garbage({size}, GENERATOR, {op.result.name or op.name!r})")
        self.emit(f"L.append({name})")

    # -- calls --

    def call(self, op: Op) -> None:
        callee = str(op.attrs["callee"])
        types_ = [each.type for each in op.operands]
        result = op.results[0].type if op.results else ""
        if callee.startswith("llvm.") and intrinsics.base_name(callee) in intrinsics.NO_OPERATIONS:
            if op.results:
                self.emit(f"{self.define(op.result)} = {undefined_text(result, self.garbage)}")
            return
        args = [self.arg(each) for each in op.operands]
        if callee in SPIN_CALLS:
            self.spin()
            return
        try:
            function = intrinsics.resolve(callee, types_, result)
        except LookupError as error:
            raise CannotTranslate(op, str(error)) from error
        name = self.bind("call", function)
        self.callees[name] = callee
        text = f"{name}({', '.join(args)})"
        self.emit(f"{self.define(op.result)} = {text}" if op.results else text)

    def spin(self) -> None:
        """Let another thread run."""
        if self.seeded:
            self.scope.used.add("q")
        self.emit("q = yield" if self.seeded else "yield")

    def call_indirect(self, op: Op) -> None:
        target, *args = (self.arg(each) for each in op.operands)
        text = f"call_address({', '.join([target, *args])})"
        self.emit(f"{self.define(op.result)} = {text}" if op.results else text)

    def assembly(self, op: Op) -> None:
        """Inline assembly runs as the function `asm <text>` that the caller of run() may give."""
        args = [self.arg(each) for each in op.operands]
        name = self.bind("assembly", None)
        self.callees[name] = f"asm {op.attrs['text']}"
        text = f"{name}({', '.join(args)})"
        self.emit(f"{self.define(op.result)} = {text}" if op.results else text)
