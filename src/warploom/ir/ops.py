# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of ops: what each takes, does and means.

Scalar ops are LLVM's, under LLVM's names and with LLVM's meaning. Memory is untyped; an address is a `gep`: base plus
constant offset plus index times stride. Parallel ops are our own.

Notation of the column `form`: operands -> results, attributes in brackets, regions in braces. A capital stands for one
type throughout the line, `int` for any integer, no type for any; `...` is any number of these, `?` may be absent. The
verifier reads this notation (`signatures.py`).
"""

from __future__ import annotations

from enum import Enum, Flag, auto

from warploom.core.records import dataclass
from warploom.ir.core import Op, walk_op

WARP_SIZE = 32  # threads of a warp: the same on every GPU
PRIVATE = "private"  # of an atomic op or a store: see there
OF_THREADS = "of_threads"  # of a `for`: its iterations are independent, as those of the thread loop that it was
PARTIAL = "partial"  # of a `block`: of a block of threads that most have another form of
FEW_TRIPS = "few_trips"  # of a `for`: one or none, as a rule; not worth a form of its own
OF_LANES = "of_lanes"  # of a `for` or `while`: over the threads of a vector
PADDING = 256  # bytes around shared memory that `load [padded=true]` may read: kSharedPadding of the runtime
# Calls of the runtime: they say which thread the calls that follow belong to.
SET_THREAD = "__warploom_set_thread"  # tx, ty, tz
SET_THREAD_INDEX = "__warploom_set_thread_index"  # the number in the block


class Effect(Enum):
    """What an op does beyond computing its results."""

    PURE = auto()  # nothing: may be removed, repeated, moved; may run where it did not before
    CHECKED = auto()  # nothing, but too dear to run where it did not before (division)
    READ = auto()
    WRITE = auto()
    READ_WRITE = auto()
    ALLOCATE = auto()
    ORDER = auto()  # orders memory: fences
    COLLECTIVE = auto()  # exchanges values or waits among threads: stays where it is, see Level
    CALL = auto()  # as the attribute `effects` of the op says
    CONTROL = auto()  # as its regions
    TERMINATOR = auto()


class Property(Flag):
    """What passes may do with an op. A line of the table has what the op may be at most; attributes and flags can take
    some of it away, so passes ask `properties.py`."""

    NONE = 0
    PURE = auto()  # computes its results and does nothing else, from its operands alone
    SPECULATABLE = auto()  # defined whatever its operands are: may run where it did not
    DUPLICABLE = auto()  # equal operands give equal results: may be computed again, and one used for the other
    CONVERGENT = auto()  # what it does depends on which threads come to it together: stays under the control around it
    MAY_BE_POISON = auto()  # a result may be poison though no operand is


COMPUTES = Property.PURE | Property.SPECULATABLE | Property.DUPLICABLE
MAY_COMPUTE_POISON = COMPUTES | Property.MAY_BE_POISON


class Level(Flag):
    """The threads that a barrier or collective involves."""

    WARP = auto()
    BLOCK = auto()
    GRID = auto()


@dataclass(frozen=True, slots=True)
class OpInfo:
    """One line of the table."""

    effect: Effect
    form: str
    meaning: str
    properties: Property = Property.NONE


def _pure(names: str, form: str, meaning: str, properties: Property = COMPUTES) -> dict[str, OpInfo]:
    return {name: OpInfo(Effect.PURE, form, meaning, properties) for name in names.split()}


OPS: dict[str, OpInfo] = {
    # -- arithmetic: attribute `flags` is a tuple of LLVM's flags (nsw nuw exact fast nnan contract ...)
    **_pure(
        "add",
        "a:T b:T -> T [flags? range?]",
        "integers or vectors of them; range: the least and the most it is",
        MAY_COMPUTE_POISON,
    ),
    **_pure(
        "sub mul shl lshr ashr and or xor", "a:T b:T -> T [flags?]", "integers or vectors of them", MAY_COMPUTE_POISON
    ),
    **_pure("fadd fsub fmul fdiv frem", "a:T b:T -> T [flags?]", "floating point or vectors", MAY_COMPUTE_POISON),
    **_pure("fneg", "a:T -> T [flags?]", "sign flip", MAY_COMPUTE_POISON),
    **dict.fromkeys(
        ("udiv", "sdiv", "urem", "srem"),
        OpInfo(
            Effect.CHECKED,
            "a:T b:T -> T [flags?]",
            "for b = 0 as ir/divisions.py says; the least / -1 is itself; speculatable by a constant only: it is dear",
            MAY_COMPUTE_POISON,
        ),
    ),
    **_pure(
        "icmp",
        "a:T b:T -> B [pred flags?]",
        "pred: eq ne slt sle sgt sge ult ule ugt uge; B: i1 for each element",
        MAY_COMPUTE_POISON,
    ),
    **_pure(
        "fcmp",
        "a:T b:T -> B [pred flags?]",
        "pred: oeq ogt oge olt ole one ord ueq ... une uno true false",
        MAY_COMPUTE_POISON,
    ),
    **_pure("select", "c:B a:T b:T -> T [flags?]", "c ? a : b; B: i1, or one for each element", MAY_COMPUTE_POISON),
    **_pure(
        "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast",
        "a:T -> U [flags?]",
        "LLVM's casts",
        MAY_COMPUTE_POISON,
    ),
    **_pure("freeze", "a:T -> T", "some fixed value where a is poison", Property.PURE | Property.SPECULATABLE),
    **_pure(
        "gep",
        "base:P index... -> Q [offset strides inbounds?]",
        "base + offset + sum(index * stride), bytes; indices are signed; each of these may be a "
        "vector, and then so is the result, element by element",
        MAY_COMPUTE_POISON,
    ),
    # -- vectors and aggregates
    **_pure("extractelement", "v:<n x T> i:int -> T", "", MAY_COMPUTE_POISON),
    **_pure("insertelement", "v:<n x T> x:T i:int -> <n x T>", "", MAY_COMPUTE_POISON),
    **_pure(
        "shufflevector",
        "a:<n x T> b:<n x T> -> <m x T> [mask]",
        "mask: tuple of element numbers, -1 poison",
        MAY_COMPUTE_POISON,
    ),
    **_pure("splat", "x:T -> <n x T>", "every element is x"),
    **_pure(
        "reduce",
        "x:<n x T> -> T [kind flags?]",
        "kind: add mul and or xor umin umax smin smax, fadd fmul fmin fmax; fadd and fmul go from element 0 upwards, "
        "in any order with flag reassoc; fmin and fmax take a number over NaN",
        MAY_COMPUTE_POISON,
    ),
    **_pure("extractvalue", "a:A -> T [path]", "path: tuple of member numbers"),
    **_pure("insertvalue", "a:A x:T -> A [path]", ""),
    # -- memory: `ordering` is '' for plain accesses, else LLVM's name; `align` in bytes
    "load": OpInfo(
        Effect.READ,
        "p:ptr -> T [align? volatile? ordering? scope? constant? padded? often_a_row?]",
        "constant: wherever `p` exists, it points to memory that can be read and that nothing writes; padded: part of "
        "it may lie in the 256 bytes around shared memory (any value); "
        "often_a_row: threads side by side often read neighbours, and many accesses of the kind stand in its loop",
        MAY_COMPUTE_POISON,  # where constant
    ),
    "store": OpInfo(
        Effect.WRITE,
        "x:T p:ptr -> [align? volatile? ordering? scope? often_a_row? private?]",
        "private: some of what it writes was just read there, so that only one OS thread may reach it",
    ),
    # Elements of whole bytes; `align`: of the address of an element, without one as is natural for T.
    "masked_load": OpInfo(
        Effect.READ,
        "p:ptr m:<n x i1> other:<n x T> -> <n x T> [align? constant? by_lanes?]",
        "element l: the T at p + l * sizeof(T) where m, else other; only where m is anything read; constant: as load; "
        "by_lanes: the processor has no instruction for it",
        MAY_COMPUTE_POISON,  # where constant
    ),
    "masked_store": OpInfo(
        Effect.WRITE,
        "x:<n x T> p:ptr m:<n x i1> -> [align? by_lanes? often_all?]",
        "element l at p + l * sizeof(T), where m; by_lanes: as masked_load; often_all: a store without a mask is to be "
        "written beside it",
    ),
    "gather": OpInfo(
        Effect.READ,
        "p:<n x ptr> m:<n x i1> other:<n x T> -> <n x T> [align? constant? by_lanes?]",
        "element l: the T at element l of p where m, else other; only where m is anything read; constant: as load; "
        "by_lanes: as short code, one element after the other",
        MAY_COMPUTE_POISON,  # where constant
    ),
    "gather_near": OpInfo(
        Effect.READ,
        "p:<n x ptr> m:<n x i1> other:<n x T> span:i64 -> <n x T> [align? by_lanes?]",
        "as gather; where span is (n - 1) * sizeof(T), all of m is true and p[l] is p[0] + l * sizeof(T)",
    ),
    "scatter": OpInfo(
        Effect.WRITE,
        "x:<n x T> p:<n x ptr> m:<n x i1> -> [align? by_lanes?]",
        "element l at element l of p, where m; from element 0 upwards: of equal addresses the last one stays",
    ),
    "scatter_near": OpInfo(
        Effect.WRITE,
        "x:<n x T> p:<n x ptr> m:<n x i1> span:i64 -> [align? by_lanes?]",
        "as scatter; span: as gather_near",
    ),
    "atomicrmw": OpInfo(
        Effect.READ_WRITE,
        "p:ptr x:T -> T [operation ordering scope? align? volatile? private?]",
        "result: the old value; private: only this block reaches the memory",
    ),
    "cmpxchg": OpInfo(
        Effect.READ_WRITE,
        "p:ptr old:T new:T -> { T, i1 } [ordering failure scope? align? volatile? weak? private?]",
        "result: what was there, and whether it was `old`",
    ),
    "fence": OpInfo(Effect.ORDER, "-> [ordering scope?]", ""),
    "memcpy": OpInfo(Effect.READ_WRITE, "to:ptr from:ptr n:i64 -> [volatile? align_to? align_from?]", ""),
    "memmove": OpInfo(Effect.READ_WRITE, "to:ptr from:ptr n:i64 -> [volatile? align_to? align_from?]", ""),
    "memset": OpInfo(Effect.WRITE, "to:ptr byte:i8 n:i64 -> [volatile? align_to?]", ""),
    "alloca": OpInfo(Effect.ALLOCATE, "-> ptr [size align?]", "private memory, fresh each time it is reached"),
    "scratch": OpInfo(
        Effect.ALLOCATE,
        "-> ptr [size align? level]",
        "`size` bytes for each thread of one `level` (warp, block, grid), in one piece; outside of the parallel loop",
    ),
    # -- calls. `effects`: none, read, argmem (touches only memory behind pointer arguments), any
    "call": OpInfo(
        Effect.CALL,
        "argument... -> result? "
        "[callee effects convergent? speculatable? noreturn? varargs? types? flags? abi? looks? asks?]",
        "a function or intrinsic by name; a callee `llvm.*` with effects=none is an intrinsic; types: of the fixed "
        "parameters of a varargs function; abi: LLVM's attributes of the result and of each argument, as text; looks: "
        "what it gives may change when another thread stores; asks: false where it never asks which thread calls it",
        MAY_COMPUTE_POISON | Property.CONVERGENT,
    ),
    "call_indirect": OpInfo(
        Effect.CALL, "f:ptr argument... -> result? [effects varargs? types? abi? looks? asks?]", ""
    ),
    "asm": OpInfo(Effect.CALL, "argument... -> result? [text constraints effects sideeffect?]", "inline assembly"),
    # -- barriers and collectives
    "barrier": OpInfo(
        Effect.COLLECTIVE,
        "mask:i32... -> [level cluster? lock_step?]",
        "level: warp, block or grid; mask: at most one, of a warp's barrier, all lanes without; cluster: written for "
        "the blocks of one; lock_step: of the lanes of a warp that come here together",
        properties=Property.CONVERGENT,
    ),
    "barrier_reduce": OpInfo(
        Effect.COLLECTIVE,
        "p:i32 -> i32 [kind]",
        "block barrier; kind: count, and, or of p != 0",
        properties=Property.CONVERGENT,
    ),
    "shuffle": OpInfo(
        Effect.COLLECTIVE,
        "mask:i32 x:i64 lane:i32 width:i32 -> i64 [kind]",
        "kind: idx, up, down, xor; own x if outside of the width, 0 from a lane that does not come",
        properties=Property.CONVERGENT,
    ),
    "vote": OpInfo(
        Effect.COLLECTIVE,
        "mask:i32 p:i32 -> i32 [kind]",
        "kind: ballot, any, all of p != 0",
        properties=Property.CONVERGENT,
    ),
    "match": OpInfo(
        Effect.COLLECTIVE,
        "mask:i32 x:i64 -> i32 [kind]",
        "kind: any, all: lanes of mask with the same x",
        properties=Property.CONVERGENT,
    ),
    "warp_reduce": OpInfo(
        Effect.COLLECTIVE,
        "mask:i32 x:i32 -> i32 [kind]",
        "kind: add umin umax smin smax and or xor, over mask",
        properties=Property.CONVERGENT,
    ),
    "activemask": OpInfo(
        Effect.COLLECTIVE, "-> i32", "lanes that reach this op together", properties=Property.CONVERGENT
    ),
    # -- parallel loops: all iterations may run in any order, or in lock step; one_by_one: as vectors they do not pay;
    # partial: of a block that most blocks have another form of (passes/guards/version_blocks.py)
    "grid": OpInfo(Effect.CONTROL, "gdx:i32 gdy:i32 gdz:i32 { (bx by bz) }", "for each block"),
    "block": OpInfo(
        Effect.CONTROL,
        "bdx:i32 bdy:i32 bdz:i32 -> [one_by_one? partial?] { (tx ty tz) }",
        "for each thread of the block",
    ),
    "warp": OpInfo(Effect.CONTROL, "count:i32 { (w) }", "for each warp of the block"),
    "lane": OpInfo(Effect.CONTROL, "count:i32 -> [one_by_one?] { (l) }", "for each lane of the warp"),
    # -- sequential control flow
    "for": OpInfo(
        Effect.CONTROL,
        "lb:T ub:T step:T init... -> result... "
        "[pred flags? of_threads? of_lanes? few_trips?] { (i carried...) ... yield next... }",
        "for (i = lb; i pred ub; i += step); pred: slt sle sgt sge ult ule ugt uge ne; flags: how i + step does not "
        "wrap; results: carried at the end; "
        "of_threads: what was a loop over threads of a block, or over rows of them; of_lanes: over those of a vector; "
        "few_trips: one or none, as a rule",
    ),
    "while": OpInfo(
        Effect.CONTROL,
        "init... -> result... [bounded? of_lanes?] { (carried...) ... condition c passed... } "
        "{ (passed...) ... yield next... }",
        "before; while c: after, before; results: what `condition` passed last; bounded: ends without other threads; "
        "of_lanes: over the threads of a vector",
    ),
    "if": OpInfo(
        Effect.CONTROL, "c:i1 -> result... { ... yield x... } { ... yield y... }", "both regions always exist"
    ),
    # -- terminators of regions
    "yield": OpInfo(Effect.TERMINATOR, "value... ->", ""),
    "condition": OpInfo(Effect.TERMINATOR, "c:i1 value... ->", "ends the first region of `while`"),
    # -- terminators of basic blocks, before structuring
    "br": OpInfo(Effect.TERMINATOR, "argument... -> [targets counts]", ""),
    "cond_br": OpInfo(Effect.TERMINATOR, "c:i1 argument... -> [targets counts]", "targets: if true, if false"),
    "switch": OpInfo(Effect.TERMINATOR, "x:int argument... -> [targets counts cases]", "first target is the default"),
    "ret": OpInfo(Effect.TERMINATOR, "->", "the thread ends"),
    "unreachable": OpInfo(Effect.TERMINATOR, "->", ""),
}

PARALLEL = frozenset(("grid", "block", "warp", "lane"))
LOOPS = frozenset(("for", "while"))
CASTS = frozenset("trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast".split())
BINARY = frozenset("add sub mul shl lshr ashr and or xor fadd fsub fmul fdiv frem udiv sdiv urem srem".split())
DIVISIONS = frozenset("udiv sdiv urem srem".split())
COMMUTATIVE = frozenset("add mul and or xor fadd fmul".split())


def effect(op: Op) -> Effect:
    """The table's effect of `op`."""
    return OPS[op.name].effect


def collective_level(op: Op) -> Level | None:
    """The threads that `op` itself involves; None for an op that a thread runs by itself."""
    if op.name == "barrier":
        return _LEVELS[str(op.attrs["level"])]
    if op.name == "barrier_reduce":
        return Level.BLOCK
    return Level.WARP if OPS[op.name].effect is Effect.COLLECTIVE else None


_LEVELS = {level.name.lower(): level for level in Level if level.name}
_NO_LEVEL = Level(0)
_COLLECTIVES = frozenset(name for name, info in OPS.items() if info.effect is Effect.COLLECTIVE)


def levels_in(op: Op) -> Level:
    """Every level of barrier or collective in `op` and below."""
    found = _NO_LEVEL
    pending = [op]
    while pending:
        each = pending.pop()
        if each.name in _COLLECTIVES:
            found |= collective_level(each) or _NO_LEVEL
        for region in each.regions:
            pending += region.ops
    return found


_QUIET = (Effect.PURE, Effect.CHECKED, Effect.READ, Effect.ALLOCATE)


def leaves_memory(op: Op) -> bool:
    """Whether nothing is written, ordered or waited for in `op`."""
    for each in walk_op(op):
        kind = OPS[each.name].effect
        if kind is Effect.CALL and each.attrs.get("effects") in ("none", "read"):
            continue
        if kind in (Effect.CONTROL, Effect.TERMINATOR):
            continue
        if kind not in _QUIET or each.attrs.get("volatile") or each.attrs.get("ordering"):
            return False
    return True


def private_size(alloca: Op) -> int:
    """Bytes from one thread's piece of private memory to the next one's: each is aligned."""
    size, align = int(str(alloca.attrs["size"])), int(str(alloca.attrs.get("align", 1)))
    return -(-size // align) * align


def is_plain_load(op: Op) -> bool:
    """A load that other threads do not see."""
    return op.name == "load" and not op.attrs.get("volatile") and not op.attrs.get("ordering")


def is_plain_store(op: Op) -> bool:
    """A store that other threads do not see."""
    return op.name == "store" and not op.attrs.get("volatile") and not op.attrs.get("ordering")
