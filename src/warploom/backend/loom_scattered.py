# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LLVM text of accesses to bytes and to two bytes for which a processor has no instruction: gathers and scatters,
which none has, and accesses to neighbours under a mask, where the op says `by_lanes`; stores to them under a mask that
is often whole, where an instruction for one takes long.

    %x: <32 x i16> = gather %p, %m, %o        ==>    %w = gather of the aligned i32 around each element, under %m
                                                     %x = %m ? trunc (%w >> the element's bits in it) : %o

    scatter %v, %p, %m                        ==>    store %v and %p;  for each bit %l of %m: store %v[%l] at %p[%l]

    masked_store %v, %p, %m [by_lanes=true]   ==>    if all of %m: store %v at %p
                                                     else: store %v;  call of a loop over the bits %l of %m, which all
                                                           in the module share: store %v[%l] at %p + %l

    masked_store %v, %p, %m [often_all=true]  ==>    if all of %m: store %v at %p;  else: masked store

    masked_load %p, %m, %o [by_lanes=true]    ==>    if any of %m, and %p's vector lies in one page: %m ? load %p : %o
                                                     else: likewise, with a loop

    gather %p, %m, %o [by_lanes=true]         ==>    store %p;  call of a short loop, which all in the module share
                                                     (likewise scatter)

    gather_near %p, %m, %o, %span             ==>    if %span is that of a row: load %p[0], else: as gather

LLVM would write a branch for each lane: hundreds of instructions and most of the time to compile kernels on such types.
An aligned i32 lies in one page, so what can be read of it can be read whole; what it holds beside the element is
dropped. Elements are stored in the order of lanes, of which the last one counts where two addresses are equal.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.backend.loom_ops import typed
from warploom.backend.loom_vectors import Writer
from warploom.core.remarks import Loc
from warploom.core.type_names import Any, Protocol
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand
from warploom.passes.clean.fold import is_poison

_FEWEST_LANES = 8
MOST_LANES = 64
_PAGE = 4096  # bytes, which every larger page is a multiple of


class FlowWriter(Writer, Protocol):
    """Where instructions and basic blocks go."""

    label: str  # of the block at hand
    scope: str  # of the function in debug information; empty without any

    def fresh(self, hint: str) -> str:
        """A new local name."""
        ...

    def labels(self, kind: str, *parts: str) -> list[str]:
        """New labels."""
        ...

    def start(self, label: str) -> None:
        """Begin a basic block."""
        ...

    def jump(self, label: str, metadata: str = "") -> None:
        """End a basic block with an unconditional branch."""
        ...

    def declare(self, name: str, text: str) -> None:
        """Declare an intrinsic of LLVM."""
        ...

    def memory(self, key: str, size: int) -> str:
        """Memory of the function, `size` bytes, for one use at a time: the same for one key."""
        ...

    def help(self, name: str, parameters: str, write: Callable[[Any], None], *, seldom: bool = True) -> str:
        """Define a function, if it is not there, that code calls, `seldom` where it hardly ever comes by; `write`
        writes its body. What a call of it begins with."""
        ...

    def no_copies(self) -> str:
        """The suffix of a branch that closes a loop which LLVM is to leave as it is."""
        ...


def goes_by_words(op: Op) -> bool:
    """Whether a gather reads the words around its elements. A mask that is a constant costs no branches."""
    _, mask, _ = op.operands
    small = _is_small(op.result.type) and not isinstance(mask, Const)
    return small and align_of(op, op.result.type) >= types.size_of(types.element_of(op.result.type))


def goes_by_lanes(op: Op) -> bool:
    """Whether a scatter stores one element after the other."""
    return bool(op.attrs.get("by_lanes")) or _is_small(op.operands[0].type)


def _is_small(type_: str) -> bool:
    return types.size_of(types.element_of(type_)) <= 2 and (types.lanes_of(type_) or 0) >= _FEWEST_LANES


def align_of(op: Op, type_: str) -> int:
    """The alignment of each element of an access."""
    return int(str(op.attrs.get("align") or types.align_of(types.element_of(type_))))


def gather_by_words(op: Op, code: FlowWriter) -> str:
    """Write what loads the words; what stands after `%result = `."""
    pointers, mask, other = op.operands
    type_, lanes, bits = (
        op.result.type,
        types.lanes_of(op.result.type) or 0,
        types.bits(types.element_of(op.result.type)),
    )
    words, numbers, small = f"<{lanes} x i32>", f"<{lanes} x i64>", f"<{lanes} x i{bits}>"
    read = f"llvm.masked.gather.v{lanes}i32.v{lanes}p0"
    code.declare(read, f"declare {words} @{read}({pointers.type}, i32 immarg, {mask.type}, {words})")
    at, active = typed(pointers, code.name), typed(mask, code.name)
    number = code.value("number", f"ptrtoint {at} to {numbers}", op.loc)
    byte = code.value("byte", f"and {numbers} {number}, splat (i64 3)", op.loc)
    back = code.value("back", f"sub {numbers} zeroinitializer, {byte}", op.loc)
    around = code.value("around", f"getelementptr i8, {at}, {numbers} {back}", op.loc)
    arguments = f"{pointers.type} {around}, i32 4, {active}, {words} poison"
    found = code.value("words", f"call {words} @{read}({arguments})", op.loc)
    short = code.value("byte", f"trunc {numbers} {byte} to {words}", op.loc)
    shift = code.value("shift", f"shl {words} {short}, splat (i32 3)", op.loc)
    down = code.value("down", f"lshr {words} {found}, {shift}", op.loc)
    value = code.value("part", f"trunc {words} {down} to {small}", op.loc)
    if small != type_:
        value = code.value("part", f"bitcast {small} {value} to {type_}", op.loc)
    return f"select {active}, {type_} {value}, {typed(other, code.name)}"


def gather_by_lanes(op: Op, code: FlowWriter) -> str:
    """Write a call that loads one element after the other; what stands after `%result = `."""
    pointers, mask, other = op.operands
    type_ = op.result.type
    kept = code.slot(type_)
    if not is_poison(other):
        code.line(f"store {typed(other, code.name)}, ptr {kept}", op.loc)
    _move_active(op, type_, pointers, mask, code)
    return f"load {type_}, ptr {kept}"


def scatter_by_lanes(op: Op, code: FlowWriter) -> None:
    """Write what stores one element after the other: a call where it is seldom."""
    values, pointers, mask = op.operands
    code.line(f"store {typed(values, code.name)}, ptr {code.slot(values.type)}", op.loc)
    _move_active(op, values.type, pointers, mask, code)


def _move_active(op: Op, type_: str, pointers: Operand, mask: Operand, code: FlowWriter) -> None:
    """Write what moves the elements of active lanes between the slot and their places: a loop, or where the op says
    `by_lanes` the call of one; but where instructions have lines the loop itself, so that a fault has one."""
    kept, lanes = code.slot(type_), types.lanes_of(mask.type) or 0
    places, active = store_places(pointers, mask, code, op.loc)
    bits, align = _bits_of_element(type_), align_of(op, type_)

    def write(kept: str, places: str, active: str, lanes: int, code: FlowWriter) -> None:
        move_lanes(kept, places, active, lanes, bits, align, code, op.loc, loads=bool(op.results))

    if code.scope or not op.attrs.get("by_lanes"):
        write(kept, places, active, lanes, code)
        return
    active = in_one_word(active, lanes, code, op.loc)
    name = f"warploom.{op.name}.{bits // 8}.{align}"
    parameters = f"ptr %kept, ptr %places, i{MOST_LANES} %active"
    call = code.help(name, parameters, lambda inner: write("%kept", "%places", "%active", MOST_LANES, inner))
    code.line(f"{call}(ptr {kept}, ptr {places}, i{MOST_LANES} {active})", op.loc, call=True)


def store_places(pointers: Operand, mask: Operand, code: FlowWriter, loc: Loc | None) -> tuple[str, str]:
    """Write what stores addresses for `move_lanes`: where they are, and the active lanes as a number."""
    return stored(pointers, code, loc), _bits_of(mask, code, loc)


def stored(pointers: Operand, code: FlowWriter, loc: Loc | None) -> str:
    """Write what stores addresses in the function's memory: where they are, beside elements that are addresses, too."""
    place = code.memory(f"places.{types.lanes_of(pointers.type)}", types.size_of(pointers.type))
    code.line(f"store {typed(pointers, code.name)}, ptr {place}", loc)
    return place


def load_lanes(lanes: int, size: int, code: FlowWriter) -> None:
    """Write what loads an element of `size` bytes for each lane from where `%places` says and stores all at `%kept`."""
    element, all_ = f"i{8 * size}", "poison"
    for lane in range(lanes):
        at = code.value("at", f"getelementptr inbounds ptr, ptr %places, i64 {lane}")
        place = code.value("place", f"load ptr, ptr {at}")
        value = code.value("value", f"load {element}, ptr {place}, align {size}")
        all_ = code.value("all", f"insertelement <{lanes} x {element}> {all_}, {element} {value}, i64 {lane}")
    code.line(f"store <{lanes} x {element}> {all_}, ptr %kept")


def in_one_word(active: str, lanes: int, code: FlowWriter, loc: Loc | None) -> str:
    """Write active lanes as the number that functions take which are for any number of lanes."""
    return code.value("active", f"zext i{lanes} {active} to i{MOST_LANES}", loc) if lanes < MOST_LANES else active


def move_lanes(
    kept: str, places: str, active: str, lanes: int, bits: int, align: int, code: FlowWriter, loc: Loc | None,
    *, loads: bool,
) -> None:  # fmt: skip
    """Write a loop that moves an element of `bits` for each lane of `active`: from its place to `kept`, or back."""

    def one(lane: str) -> None:
        at = code.value("at", f"getelementptr inbounds ptr, ptr {places}, i64 {lane}", loc)
        place = code.value("place", f"load ptr, ptr {at}", loc)
        element = _element_at(kept, bits, lane, code, loc)
        _move(place if loads else element, element if loads else place, bits, align, code, loc)

    _each_active(active, lanes, one, code, loc)


def gather_near(op: Op, code: FlowWriter, gathered: Callable[[Op], str]) -> str:
    """Write a choice between a row and a gather, which `gathered` writes; what stands after `%result = `."""
    type_, (pointers, _, _, span) = op.result.type, op.operands
    row, each, after = _row_or_each(type_, span, code, op.loc)
    code.start(row)
    start = code.value("start", f"extractelement {typed(pointers, code.name)}, i64 0", op.loc)
    all_ = code.value("row", f"load {type_}, ptr {start}, align {align_of(op, type_)}", op.loc)
    code.jump(after)
    code.start(each)
    rest = code.value("each", gathered(_plain(op)), op.loc)
    before = code.label
    code.jump(after)
    code.start(after)
    return f"phi {type_} [ {all_}, %{row} ], [ {rest}, %{before} ]"


def scatter_near(op: Op, code: FlowWriter, scatter: Callable[[Op], None]) -> None:
    """Write a choice between a row of neighbours and a scatter, which `scatter` writes."""
    values, pointers, _, span = op.operands
    row, each, after = _row_or_each(values.type, span, code, op.loc)
    code.start(row)
    start = code.value("start", f"extractelement {typed(pointers, code.name)}, i64 0", op.loc)
    code.line(f"store {typed(values, code.name)}, ptr {start}, align {align_of(op, values.type)}", op.loc)
    code.jump(after)
    code.start(each)
    scatter(_plain(op))
    code.jump(after)
    code.start(after)


def _plain(op: Op) -> Op:
    return Op(op.name.removesuffix("_near"), op.operands[:3], op.results, op.attrs, [], op.loc)


def _row_or_each(type_: str, span: Operand, code: FlowWriter, loc: Loc | None) -> tuple[str, str, str]:
    of_row = types.size_of(types.element_of(type_)) * ((types.lanes_of(type_) or 0) - 1)
    return _parted(code.value("is_row", f"icmp eq {typed(span, code.name)}, {of_row}", loc), code, loc)


def load_by_lanes(op: Op, code: FlowWriter) -> str:
    """Write what loads neighbours under a mask; what stands after `%result = `.

    Where all lie in one page, which some lane reads, all can be read; what inactive lanes find there is dropped.
    """
    start, mask, other = op.operands
    type_, lanes, bits = op.result.type, types.lanes_of(mask.type) or 0, _bits_of_element(op.result.type)
    active, from_ = _bits_of(mask, code, op.loc), code.name(start)
    number = code.value("number", f"ptrtoint ptr {from_} to i64", op.loc)
    in_page = code.value("in_page", f"and i64 {number}, {_PAGE - 1}", op.loc)
    one_page = code.value("one_page", f"icmp ule i64 {in_page}, {_PAGE - types.size_of(type_)}", op.loc)
    some = code.value("some", f"icmp ne i{lanes} {active}, 0", op.loc)
    can_be_read = code.value("can_be_read", f"and i1 {some}, {one_page}", op.loc)
    whole, part, after = _parted(can_be_read, code, op.loc)
    code.start(whole)
    all_ = code.value("whole", f"load {type_}, ptr {from_}, align {align_of(op, type_)}", op.loc)
    if not is_poison(other):
        all_ = code.value(
            "found", f"select {typed(mask, code.name)}, {type_} {all_}, {typed(other, code.name)}", op.loc
        )
    code.jump(after)
    code.start(part)
    kept = code.slot(type_)
    code.line(f"store {typed(other, code.name)}, ptr {kept}", op.loc)
    _copy_active(from_, kept, active, lanes, bits, align_of(op, type_), code, op.loc)
    rest, before = code.value("part", f"load {type_}, ptr {kept}", op.loc), code.label
    code.jump(after)
    code.start(after)
    return f"phi {type_} [ {all_}, %{whole} ], [ {rest}, %{before} ]"


def store_all_or_some(op: Op, code: FlowWriter, masked: str) -> None:
    """Write what stores neighbours under a mask, by the instruction `masked` where some lanes are inactive."""
    _, after = _store_all(op, code)
    code.line(masked, op.loc, call=True)
    code.jump(after)
    code.start(after)


def _store_all(op: Op, code: FlowWriter) -> tuple[str, str]:
    """Store where all lanes of the mask are active. The mask's bits, and where the way goes on; what is written next is
    where some are not."""
    values, start, mask = op.operands
    active = _bits_of(mask, code, op.loc)
    every = code.value("every", f"icmp eq i{types.lanes_of(mask.type)} {active}, -1", op.loc)
    whole, part, after = _parted(every, code, op.loc)
    code.start(whole)
    code.line(f"store {typed(values, code.name)}, ptr {code.name(start)}, align {align_of(op, values.type)}", op.loc)
    code.jump(after)
    code.start(part)
    return active, after


def store_by_lanes(op: Op, code: FlowWriter) -> None:
    """Write what stores neighbours under a mask."""
    values, start, mask = op.operands
    lanes, to, bits = types.lanes_of(mask.type) or 0, code.name(start), _bits_of_element(values.type)
    active, after = _store_all(op, code)
    kept = code.slot(values.type)
    code.line(f"store {typed(values, code.name)}, ptr {kept}", op.loc)
    _copy_active(kept, to, active, lanes, bits, align_of(op, values.type), code, op.loc)
    code.jump(after)
    code.start(after)


def _copy_active(
    from_: str, to: str, active: str, lanes: int, bits: int, align: int, code: FlowWriter, loc: Loc | None
) -> None:
    """Write what copies the elements of active lanes from one vector in memory to another: the call of a loop, or where
    instructions have lines the loop itself, so that a fault has one."""

    def write(from_: str, to: str, active: str, lanes: int, code: FlowWriter) -> None:
        def one(lane: str) -> None:
            place = _element_at(from_, bits, lane, code, loc)
            _move(place, _element_at(to, bits, lane, code, loc), bits, align, code, loc)

        _each_active(active, lanes, one, code, loc)

    if code.scope:
        write(from_, to, active, lanes, code)
        return
    active = in_one_word(active, lanes, code, loc)
    parameters = f"ptr %from, ptr %to, i{MOST_LANES} %active"
    call = code.help(
        f"warploom.copy.{bits // 8}.{align}",
        parameters,
        lambda inner: write("%from", "%to", "%active", MOST_LANES, inner),
    )
    code.line(f"{call}(ptr {from_}, ptr {to}, i{MOST_LANES} {active})", loc, call=True)


def _bits_of(mask: Operand, code: FlowWriter, loc: Loc | None) -> str:
    return code.value("active", f"bitcast {typed(mask, code.name)} to i{types.lanes_of(mask.type)}", loc)


def _parted(condition: str, code: FlowWriter, loc: Loc | None) -> tuple[str, str, str]:
    """Part the way; the labels of where neighbours are moved at once, of where some are, and of where both meet."""
    whole, part, after = code.labels("neighbours", "all", "some", "end")
    code.line(f"br i1 {condition}, label %{whole}, label %{part}", loc)
    return whole, part, after


def _element_at(vector: str, bits: int, lane: str, code: FlowWriter, loc: Loc | None) -> str:
    return code.value("at", f"getelementptr inbounds i{bits}, ptr {vector}, i64 {lane}", loc)


def _bits_of_element(type_: str) -> int:
    return 8 * types.size_of(types.element_of(type_))


def _move(from_: str, to: str, bits: int, align: int, code: FlowWriter, loc: Loc | None) -> None:
    """Copy an element, as bits."""
    value = code.value("value", f"load i{bits}, ptr {from_}, align {align}", loc)
    code.line(f"store i{bits} {value}, ptr {to}, align {align}", loc)


def _each_active(active: str, lanes: int, action: Callable[[str], None], code: FlowWriter, loc: Loc | None) -> None:
    """Write a loop over the bits of `active` that are set, from the lowest one: `action` writes its body."""
    bits, first = f"i{lanes}", f"llvm.cttz.i{lanes}"
    code.declare(first, f"declare {bits} @{first}({bits}, i1 immarg)")
    some = code.value("some", f"icmp ne {bits} {active}, 0", loc)
    body, after = code.labels("lanes", "body", "end")
    before, rest = code.label, code.fresh("rest")
    code.line(f"br i1 {some}, label %{body}, label %{after}", loc)
    code.start(body)
    left = code.value("left", f"phi {bits} [ {active}, %{before} ], [ {rest}, %{body} ]")
    lane = code.value("lane", f"call {bits} @{first}({bits} {left}, i1 true)", loc)
    if lanes < 64:
        lane = code.value("lane", f"zext {bits} {lane} to i64", loc)
    action(lane)
    less = code.value("less", f"add {bits} {left}, -1", loc)
    code.line(f"{rest} = and {bits} {left}, {less}", loc)
    more = code.value("more", f"icmp ne {bits} {rest}, 0", loc)
    code.line(f"br i1 {more}, label %{body}, label %{after}{code.no_copies()}", loc)
    code.start(after)
