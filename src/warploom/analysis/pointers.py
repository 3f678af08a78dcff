# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where pointers point: which object, how many bytes from its start.

    %a = gep @s, %x [strides=(4)]                @s + 4 x
    %b = select %c, %a, @t                       @s + 4 x  or  @t
    for ... %b { (%q) yield (gep %q, 4) }        %q: somewhere in @s  or  in @t
    %u = load %pp                                from %u on, in unknown memory

An object is a shared variable, another global, a kernel's pointer parameter (whatever it points to), one private
variable of each thread (`alloca`), or unknown. An object is exposed when its address goes where this does not follow
it: into memory, into a call, into an integer. From there it may come back in a pointer of unknown origin.
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.analysis import linear
from warploom.analysis.affine import Forms
from warploom.analysis.linear import Affine
from warploom.analysis.sums import Sum
from warploom.core.patterns import regex
from warploom.core.records import dataclass, field
from warploom.ir.core import Const, Function, Op, Operand, Region, Value, globals_in, walk
from warploom.ir.ops import OPS, Effect
from warploom.ir.types import element_of, may_hold_address

SHARED, GLOBAL, PARAM, PRIVATE, SCRATCH, UNKNOWN = "shared", "global", "param", "private", "scratch", "unknown"
MOST_TARGETS = 4  # that are told apart of one pointer
_LOCAL_NAME = regex(r"^_ZZ.*E(\d+)(\w+)$")  # of a variable in a function, Itanium C++ ABI: _ZZ1kPfE4tile


@dataclass(frozen=True, slots=True)
class Object:
    """A piece of memory that no other object overlaps, except as `Memory.may_overlap` says. `key` tells objects of a
    kind apart: the name of a variable, the value that is the pointer. Unknown objects overlap each other."""

    kind: str
    key: str | Value = ""

    @property
    def label(self) -> str:
        """What the user may know it by."""
        if self.kind == UNKNOWN:
            return "unknown memory"
        if isinstance(self.key, Value):
            return f"%{self.key.name}"
        local = _LOCAL_NAME.search(self.key)
        name = local[2][: int(local[1])] if local else self.key
        return f"@{name}" if name else "dynamic shared memory"


ANYWHERE = Object(UNKNOWN)
DYNAMIC = Object(SHARED)  # all `extern __shared__` variables start at one address

Target = tuple[Object, Affine | None]  # and the bytes from its start (from `key`, if a value); None: not affine


# For each op that takes pointers: operand number -> (reads, writes).
POINTERS: dict[str, dict[int, tuple[bool, bool]]] = {
    "load": {0: (True, False)},
    "store": {1: (False, True)},
    "masked_load": {0: (True, False)},
    "masked_store": {1: (False, True)},
    "gather": {0: (True, False)},
    "gather_near": {0: (True, False)},
    "scatter": {1: (False, True)},
    "scatter_near": {1: (False, True)},
    "atomicrmw": {0: (True, True)},
    "cmpxchg": {0: (True, True)},
    "memcpy": {0: (False, True), 1: (True, False)},
    "memmove": {0: (False, True), 1: (True, False)},
    "memset": {0: (False, True)},
}


@dataclass(slots=True)
class Pointers:
    """What every pointer of a function may point to."""

    function: Function
    forms: Forms
    known: dict[Value, list[Target]] = field(default_factory=dict[Value, list[Target]])  # not of geps
    exposed: set[Object] = field(default_factory=set[Object])

    def targets(self, pointer: Operand) -> list[Target]:
        """All that `pointer` may point to."""
        root, offset = self.forms.address(pointer)
        if isinstance(root, Const):
            object_ = self._constant(root)
            return [(object_, offset if object_ is not ANYWHERE else None)]
        starts = self.known.get(root)
        if starts is None:
            return [(Object(UNKNOWN, root), offset)]
        if root is pointer:
            return starts
        return [
            (object_, linear.add(start, offset) if start is not None and offset is not None else None)
            for object_, start in starts
        ]

    def objects_of(self, pointer: Operand) -> list[Object]:
        """The objects that `pointer` may point to, each once."""
        return list(dict.fromkeys(object_ for object_, _ in self.targets(pointer)))

    def _constant(self, const: Const) -> Object:
        text = const.value
        if not isinstance(text, str) or not text.startswith("@"):
            return ANYWHERE
        return self.named(text[1:])

    def named(self, name: str) -> Object:
        """The variable called `name`."""
        variable = self.function.shared.get(name)
        if variable is None:
            return Object(GLOBAL, name)
        return Object(SHARED, name) if variable.size else DYNAMIC

    def named_in(self, const: Const) -> set[Object]:
        """Every variable that the text of a constant names."""
        return {self.named(name) for name in globals_in(const)}


def trace_pointers(function: Function, forms: Forms) -> Pointers:
    """Follow every pointer of the structured `function`."""
    pointers = Pointers(function, forms)
    for argument in function.arguments:
        if argument.type == "ptr":
            pointers.known[argument] = [(Object(PARAM, argument), Sum(0))]
    _region(function.body, pointers)
    _find_exposed(function, pointers)
    return pointers


def _region(region: Region, pointers: Pointers) -> None:
    for op in region.ops:
        if op.name in ("alloca", "scratch"):
            kind = PRIVATE if op.name == "alloca" else SCRATCH
            pointers.known[op.result] = [(Object(kind, op.result), Sum(0))]
        elif op.name == "select":
            _join(pointers, op.result, op.operands[1:])
        elif op.name == "for":
            following = op.region.terminator.operands
            for param, *ways in zip(op.region.params[1:], op.operands[3:], following, strict=True):
                _carry(pointers, {}, param, *ways)
        elif op.name == "while":
            _carry_while(op, pointers)
        for inner in op.regions:
            _region(inner, pointers)
        if op.results and op.regions:
            _results(op, pointers)


def _results(op: Op, pointers: Pointers) -> None:
    if op.name == "if":
        for result, *ways in zip(op.results, *(each.terminator.operands for each in op.regions), strict=True):
            _join(pointers, result, ways)
        return
    passed = op.region.params[1:] if op.name == "for" else op.regions[0].terminator.operands[1:]
    for result, value in zip(op.results, passed, strict=True):
        _join(pointers, result, [value], moving=True)


def _carry_while(op: Op, pointers: Pointers) -> None:
    before, after = op.regions
    names = dict(zip(after.params, before.terminator.operands[1:], strict=True))
    for param, *ways in zip(before.params, op.operands, after.terminator.operands, strict=True):
        _carry(pointers, names, param, *ways)
    for param, value in names.items():
        root, _ = pointers.forms.address(value)
        if root in before.params:
            _join(pointers, param, [value], moving=True)


def _carry(pointers: Pointers, names: dict[Value, Operand], param: Value, first: Operand, following: Operand) -> None:
    """A pointer that starts at `first` and only moves by geps stays in the objects it starts in."""
    root, _ = pointers.forms.address(following)
    while isinstance(root, Value) and root in names:
        root, _ = pointers.forms.address(names[root])
    if root is param:
        _join(pointers, param, [first], moving=True)
    elif isinstance(root, Const) or root in pointers.known:
        _join(pointers, param, [first, root], moving=True)


def _join(pointers: Pointers, result: Value, ways: Sequence[Operand], moving: bool = False) -> None:
    """`result` is one of `ways`, or `moving`: something at another offset from one of them."""
    if result.type != "ptr":
        return
    targets = [(object_, None if moving else offset) for way in ways for object_, offset in pointers.targets(way)]
    found = list(dict.fromkeys(targets))
    if len(found) <= MOST_TARGETS and all(object_.kind != UNKNOWN for object_, _ in found):
        pointers.known[result] = found


# -- exposure ---------------------------------------------------------------------------------------------------------


def _find_exposed(function: Function, pointers: Pointers) -> None:
    if function.facts.reaches_cluster:
        pointers.exposed |= {pointers.named(name) for name in function.shared}
    for op in walk(function.body):
        for number, operand in enumerate(op.operands):
            if element_of(operand.type) == "ptr" and not _is_followed(op, number):
                pointers.exposed.update(pointers.objects_of(operand))
            if isinstance(operand, Const) and (operand.type != "ptr" or not str(operand.value).startswith("@")):
                pointers.exposed |= pointers.named_in(operand)
        for values, ways in _flows(op):
            for value, operands in zip(values, zip(*ways, strict=True), strict=True):
                if element_of(value.type) == "ptr" and value not in pointers.known:
                    pointers.exposed.update(each for way in operands for each in pointers.objects_of(way))


def _flows(op: Op) -> list[tuple[list[Value], list[list[Operand]]]]:
    """How values go through `op`: (where to, the lists that they may come from)."""
    if op.name == "select":
        return [(op.results, [[op.operands[1]], [op.operands[2]]])]
    if op.name == "if":
        return [(op.results, [region.terminator.operands for region in op.regions])]
    if op.name == "for":
        carried = op.region.params[1:]
        return [(carried, [op.operands[3:], op.region.terminator.operands]), (op.results, [list(carried)])]
    if op.name == "while":
        before, after = op.regions
        passed = before.terminator.operands[1:]
        ways = [op.operands, after.terminator.operands]
        return [(before.params, ways), (after.params, [passed]), (op.results, [passed])]
    return []


def _is_followed(op: Op, number: int) -> bool:
    """Whether operand `number` is only used to access memory, to compare, or to make a pointer that is followed."""
    if op.name in ("yield", "condition", "if", "for", "while", "select"):
        return True
    if op.name == "gep":
        return number == 0
    if op.name == "icmp" or (OPS[op.name].effect is Effect.CALL and op.attrs.get("effects") == "none"):
        return not any(may_hold_address(result.type) for result in op.results)
    return number in POINTERS.get(op.name, {})
