# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Minima and maxima of floating point, by which -0 is less than +0, in few instructions of x86-64.

    %r = call float @llvm.maximumnum.f32(%a, %b)    ==>    vrangeps                   with AVX-512
                                                           maxps, subps, blendvps     in code that is to be exact
                                                           maxps                      in any other

On a GPU the sign of a zero counts, and a NaN is the result only where both operands are NaN. maxps gives its second
operand for two zeros and for any NaN; LLVM 23 makes seven instructions of what it lacks. Left to LLVM is what has a
constant operand: one instruction does that, but for min(x, +0) and max(x, -0).

vrangeps knows the order of zeros, and takes a number rather than a quiet NaN; a signalling one it hands on. So an
operand that may be one, as any that memory holds, is made quiet before, by vrangeps of it and itself.

Without it, let q be `b`, or minus infinity where that is NaN, which is maxps(b, -inf), and let `a` be a number. Then
q - a is negative, or -0, exactly where a > q or where a is +0 and q is -0: there `a` is the maximum, and q elsewhere.
(It is NaN for two infinities of one sign, which are the same; no rounding mode but the nearest is ever set.) A NaN for
`a` costs a comparison and a selection more: then `b` is the result. For the minimum: plus infinity, and a - q. Pooling
took up to 1.4 times as long that way, so only code that is to be exact has it. Any other is exact about NaN alone: by
three instructions of LLVM's, or by maxps(b, a) where `a` is a number. What a loop carries is one if it begins as one,
since a number wins over NaN.

min(x, +0): the lower integer of x and 0 has the bits, but where x is a NaN with a sign; minps(x, inf) is none.

Where LLVM has made vectors of a loop, it takes the last step by llvm.vector.reduce.fmax, which leaves either zero open:
that becomes steps of the same form, each for half as many lanes.

Requires optimised code: LLVM knows more about its own functions than about these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from warploom.backend.vector_math import target_attributes
from warploom.core.patterns import regex
from warploom.core.records import dataclass
from warploom.core.type_names import TYPE_CHECKING
from warploom.frontend.target import vector_bits
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Linkage, Opcode, TypeKind
from warploom.llvm.module import Module

if TYPE_CHECKING:
    from re import Match

_NAME = regex(r"llvm\.(?:(minimum|maximum)num|vector\.reduce\.f(min|max))\.(?:v(\d+))?f(32|64)")
_NO_SIGNED_ZEROS = 8  # LLVMFastMathNoSignedZeros
_NARROWEST, _WIDEST = 128, 512  # bits of vector registers
_WORD = 32  # the integers that AVX2 has a minimum of
_TYPES = {32: ("float", "i32", "ps"), 64: ("double", "i64", "pd")}
_INFINITY = {32: 0x7F800000, 64: 0x7FF << 52}
_RANGE = {"min": 4, "max": 5}  # what vrangeps is to do
_LOSES = {"min": "0x7FF0000000000000", "max": "0xFFF0000000000000"}  # against any other number
_ROUNDING = 4  # as the processor is set
_FROM_INTEGERS = frozenset((Opcode.SI_TO_FP, Opcode.UI_TO_FP))
# Not FP_EXT: a bfloat becomes a float by a shift.
_ARITHMETIC = frozenset((Opcode.FADD, Opcode.FSUB, Opcode.FMUL, Opcode.FDIV, Opcode.FREM, Opcode.FP_TRUNC))
_ARITHMETIC_CALLS = ("llvm.fma.", "llvm.fmuladd.", "llvm.sqrt.", "llvm.minimumnum.", "llvm.maximumnum.")
# The operands one of which is the result, or parts of which make up the result.
_PASSED_ON: Mapping[int, slice] = {
    Opcode.PHI: slice(None),
    Opcode.SELECT: slice(1, 3),
    Opcode.FREEZE: slice(1),
    Opcode.FNEG: slice(1),
    Opcode.EXTRACT_ELEMENT: slice(1),
    Opcode.INSERT_ELEMENT: slice(2),
    Opcode.SHUFFLE_VECTOR: slice(2),
}


@dataclass(frozen=True)
class _Form:
    """A function of numbers of `lanes` (0: no vector) times `bits` bits, and whether each operand is known to be what
    the instructions ask for: the first one may be while the second is not."""

    which: str  # min or max
    lanes: int
    bits: int
    first: bool
    second: bool
    kind: str  # of: two numbers; reduce: the lanes of one vector; zero: a number and +0

    @property
    def name(self) -> str:
        return f"__warploom_{self.which}_{self.kind}_{self.lanes}x{self.bits}_{self.first:d}{self.second:d}"


def write_minima(module: Module, machine: Handle, *, is_exact: bool) -> None:
    """Rewrite each minimum and maximum of operands that are not constant, and each min(x, +0), for x86-64.

    `is_exact`: also about the order of two zeros where that costs more.
    """
    calls = _calls(module) if module.triple().startswith("x86_64") else []
    if not calls:
        return
    lib, attributes = module.lib, target_attributes(module)
    features = dict(part.split("=", 1) for part in attributes.split()).get('"target-features"', '""')
    width = vector_bits(features.strip('"'))
    known = _known(module, [call for call, _ in calls], only_quiet=width == _WIDEST)
    chosen = [(call, *_form(module, call, match, known)) for call, match in calls]
    chosen = [each for each in chosen if _is_written(each[1], width, is_exact=is_exact)]
    forms = list(dict.fromkeys(form for _, form, _ in chosen))
    write = _by_range if width == _WIDEST else _by_difference if is_exact else _by_choice
    module.link_text(module.target_text() + _definitions(forms, attributes, write), "minima")
    for form in forms:  # not before: the linker leaves behind what is internal and not used
        lib.LLVMSetLinkage(module.find(form.name), Linkage.INTERNAL)
    for call, form, operands in chosen:
        for number, operand in enumerate((*operands, module.find(form.name))):
            lib.LLVMSetOperand(call, number, operand)
    module.run_passes("always-inline,globaldce", machine)


def _calls(module: Module) -> list[tuple[Handle, Match[str]]]:
    """The calls that may be rewritten, each with the parts of its function's name."""
    return [
        (call, match)
        for function in module.functions()
        if (match := _NAME.fullmatch(module.name(function))) and int(match[3] or 1).bit_count() == 1
        for call in module.users(function)
        if not module.lib.LLVMGetFastMathFlags(call) & _NO_SIGNED_ZEROS
        and (not any(map(module.lib.LLVMIsAConstant, _operands(module, call))) or _is_with_zero(module, call, match))
    ]


def _operands(module: Module, call: Handle) -> list[Handle]:
    return module.operands(call)[:-1]  # the last one is the function


def _is_with_zero(module: Module, call: Handle, match: Match[str]) -> bool:
    """Whether this is min(x, +0): LLVM has constants behind."""
    first, *rest = _operands(module, call)
    is_zero = match[1] == "minimum" and bool(module.lib.LLVMIsNull(rest[0]))
    return is_zero and not module.lib.LLVMIsAConstant(first)


def _form(module: Module, call: Handle, match: Match[str], known: set[Handle]) -> tuple[_Form, list[Handle]]:
    """What to compute, and of which operands: those that are `known` come first, but for a zero."""
    operands, kind = _operands(module, call), "reduce" if match[2] else "of"
    if match[1] and _is_with_zero(module, call, match):
        kind = "zero"
    else:
        operands.sort(key=lambda each: each not in known)
    first, second = operands[0] in known, operands[-1] in known
    return _Form(match[2] or match[1][:3], int(match[3] or 0), int(match[4]), first, second, kind), operands


def _is_written(form: _Form, width: int, *, is_exact: bool) -> bool:
    """Whether that is shorter than what LLVM makes of it, with registers of `width` bits, or not what it makes."""
    if width == _WIDEST or form.kind == "of":
        return True
    return is_exact if form.kind == "reduce" else width > _NARROWEST and form.bits == _WORD


# -- what is known of operands ----------------------------------------------------------------------------------------


def _known(module: Module, calls: Sequence[Handle], *, only_quiet: bool) -> set[Handle]:
    """The values, of the operands of `calls` and what these are made of, that are no NaN; `only_quiet`: no signalling
    NaN. A value that a loop carries is one as long as nothing says otherwise."""
    known = set[Handle]()
    made: dict[Handle, tuple[Callable[[list[bool]], bool], list[Handle]]] = {}
    seen = set[Handle]()
    work = [each for call in calls for each in _operands(module, call)]
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        opcode = module.lib.LLVMGetInstructionOpcode(value) if module.lib.LLVMIsAInstruction(value) else 0
        callee = module.name(module.lib.LLVMGetCalledValue(value)) if opcode == Opcode.CALL else ""
        if _is_known(module, value, opcode, callee, only_quiet=only_quiet):
            known.add(value)
        elif opcode in _PASSED_ON or _NAME.fullmatch(callee):
            operands = module.operands(value)[_PASSED_ON.get(opcode, slice(-1))]
            made[value] = (all if opcode in _PASSED_ON else any), operands
            work += operands
    known |= made.keys()
    makes: defaultdict[Handle, list[Handle]] = defaultdict(list)
    for value, (_, parts) in made.items():
        for part in parts:
            makes[part].append(value)
    doubtful = list(made)
    while doubtful:
        value = doubtful.pop()
        holds, parts = made[value]
        if value in known and not holds([part in known for part in parts]):
            known.remove(value)
            doubtful += makes[value]
    return known


def _is_known(module: Module, value: Handle, opcode: int, callee: str, *, only_quiet: bool) -> bool:
    """Whether that is seen from the value alone."""
    if module.lib.LLVMIsAConstant(value):
        return _is_number(module, value)
    if opcode in _FROM_INTEGERS:
        return True
    return only_quiet and (opcode in _ARITHMETIC or callee.startswith(_ARITHMETIC_CALLS))


def _is_number(module: Module, constant: Handle) -> bool:
    """Whether a constant is no NaN, in none of its elements."""
    lib = module.lib
    if lib.LLVMIsNull(constant) or lib.LLVMIsUndef(constant):
        return True
    type_ = lib.LLVMTypeOf(constant)
    if lib.LLVMGetTypeKind(type_) == TypeKind.VECTOR:
        return all(
            _is_number(module, lib.LLVMGetAggregateElement(constant, number))
            for number in range(lib.LLVMGetVectorSize(type_))
        )
    bits = 8 * module.size_of(type_)
    if not lib.LLVMIsAConstantFP(constant) or bits not in _INFINITY:
        return False
    word = lib.LLVMConstBitCast(constant, lib.LLVMIntTypeInContext(module.context, bits))
    return lib.LLVMConstIntGetZExtValue(word) & ((1 << (bits - 1)) - 1) <= _INFINITY[bits]


# -- what is written --------------------------------------------------------------------------------------------------


class _Code:
    """The instructions of one function, which computes in vectors: a scalar is the first lane of the narrowest."""

    def __init__(self, form: _Form, declared: dict[str, str]) -> None:
        self.lines: list[str] = []
        self.declared = declared
        self.form = form
        self.lanes = form.lanes or _NARROWEST // form.bits

    def type_of(self, element: str) -> str:
        return f"<{self.lanes} x {element}>"

    @property
    def type(self) -> str:
        return self.type_of(_TYPES[self.form.bits][0])

    def add(self, text: str) -> str:
        """Append an instruction; the name of its result."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def first_lane(self, scalar: str) -> str:
        """A vector that begins with `scalar`."""
        return self.add(f"insertelement {self.type} poison, {_TYPES[self.form.bits][0]} {scalar}, i32 0")

    def call(self, name: str, result: str, *arguments: tuple[str, str]) -> str:
        """Append a call of an intrinsic with (type, value) pairs."""
        self.declared[name] = f"declare {result} @{name}({', '.join(type_ for type_, _ in arguments)})"
        return self.add(f"call {result} @{name}({', '.join(f'{type_} {value}' for type_, value in arguments)})")


_Writer = Callable[[_Code, str, str], str]


def _definitions(forms: Sequence[_Form], attributes: str, write: _Writer) -> str:
    """LLVM text that defines the functions of `forms`, two operands of which `write` joins."""
    declared: dict[str, str] = {}
    bodies = [_definition(form, declared, write) for form in forms]
    kind = f"attributes #0 = {{ alwaysinline nounwind willreturn nosync nofree memory(none) {attributes} }}"
    return "\n".join([*bodies, *declared.values(), kind]) + "\n"


def _definition(form: _Form, declared: dict[str, str], write: _Writer) -> str:
    code = _Code(form, declared)
    element = _TYPES[form.bits][0]
    names = ["%a"] if form.kind == "reduce" else ["%a", "%b"]
    type_, given = (code.type, names) if form.lanes else (element, [code.first_lane(each) for each in names])
    if form.kind == "reduce":
        result, step = given[0], form.lanes // 2
        while step:
            result, step = write(code, result, _piece(code, result, step, code.lanes)), step // 2
    elif form.kind == "zero" and write is not _by_range:
        result = _with_zero(code, given[0])
    else:
        result = write(code, *given)
    is_vector = form.lanes and form.kind != "reduce"
    if not is_vector:
        result = code.add(f"extractelement {code.type} {result}, i32 0")
    made = type_ if is_vector else element
    head = f"define {made} @{form.name}({', '.join(f'{type_} {each}' for each in names)}) #0 {{"
    return "\n".join([head, *code.lines, f"  ret {made} {result}", "}"])


def _with_zero(code: _Code, a: str) -> str:
    words = code.type_of(_TYPES[code.form.bits][1])
    given = code.add(f"bitcast {code.type} {a if code.form.first else _number(code, a)} to {words}")
    intrinsic = f"llvm.smin.v{code.lanes}i{code.form.bits}"
    return code.add(
        f"bitcast {words} {code.call(intrinsic, words, (words, given), (words, 'zeroinitializer'))} to {code.type}"
    )


def _number(code: _Code, value: str) -> str:
    """The value, or, where that is NaN, the number that any other wins over."""
    form = code.form
    bound = f"splat ({_TYPES[form.bits][0]} {_LOSES[form.which]})"
    return code.call(
        f"llvm.{form.which}imumnum.v{code.lanes}f{form.bits}", code.type, (code.type, value), (code.type, bound)
    )


def _by_choice(code: _Code, a: str, b: str) -> str:
    form = code.form
    if not form.first:
        intrinsic = f"llvm.{form.which}num.v{code.lanes}f{form.bits}"
        return code.call(intrinsic, code.type, (code.type, a), (code.type, b))
    better = "ogt" if form.which == "max" else "olt"
    is_better = code.add(f"fcmp {better} {code.type} {b}, {a}")
    return code.add(f"select {code.type_of('i1')} {is_better}, {code.type} {b}, {code.type} {a}")


def _by_difference(code: _Code, a: str, b: str) -> str:
    form, type_ = code.form, code.type
    number = b if form.second else _number(code, b)
    less, more = (number, a) if form.which == "max" else (a, number)
    words = code.type_of(_TYPES[form.bits][1])
    difference = code.add(f"bitcast {type_} {code.add(f'fsub {type_} {less}, {more}')} to {words}")
    is_less = code.add(f"icmp slt {words} {difference}, zeroinitializer")
    result = code.add(f"select {code.type_of('i1')} {is_less}, {type_} {a}, {type_} {number}")
    if form.first:
        return result
    is_nan = code.add(f"fcmp uno {type_} {a}, zeroinitializer")
    return code.add(f"select {code.type_of('i1')} {is_nan}, {type_} {b}, {type_} {result}")


def _by_range(code: _Code, a: str, b: str) -> str:
    """Piece by piece, as registers hold them."""
    form = code.form
    width = min(max(code.lanes, _NARROWEST // form.bits), _WIDEST // form.bits)
    pieces: list[str] = []
    for start in range(0, code.lanes, width):
        first, second = (_piece(code, each, start, width) for each in (a, b))
        first = first if form.first else _range(code, first, first, width)
        second = second if form.second else _range(code, second, second, width)
        pieces.append(_range(code, first, second, width))
    return _joined(code, pieces, width)


def _range(code: _Code, a: str, b: str, width: int) -> str:
    form = code.form
    element, _, suffix = _TYPES[form.bits]
    size, type_ = width * form.bits, f"<{width} x {element}>"
    what, rounding = ("i32", str(_RANGE[form.which])), ("i32", str(_ROUNDING))
    if not form.lanes:
        name = f"llvm.x86.avx512.mask.range.s{suffix[1]}"
        return code.call(name, type_, (type_, a), (type_, b), (type_, "poison"), ("i8", "-1"), what, rounding)
    given = [(type_, a), (type_, b), what, (type_, "poison"), (f"i{max(width, 8)}", "-1")]
    if size == _WIDEST:
        given.append(rounding)
    return code.call(f"llvm.x86.avx512.mask.range.{suffix}.{size}", type_, *given)


def _piece(code: _Code, value: str, start: int, width: int) -> str:
    """`width` lanes from `start` on; poison behind the last."""
    if start == 0 and width == code.lanes:
        return value
    places = ", ".join(f"i32 {each}" if each < code.lanes else "i32 poison" for each in range(start, start + width))
    return code.add(f"shufflevector {code.type} {value}, {code.type} poison, <{width} x i32> <{places}>")


def _joined(code: _Code, pieces: Sequence[str], width: int) -> str:
    """The lanes of the pieces, as many as the function has."""
    element = _TYPES[code.form.bits][0]
    while len(pieces) > 1:
        places = ", ".join(f"i32 {each}" for each in range(2 * width))
        type_ = f"<{width} x {element}>"
        pieces = [
            code.add(f"shufflevector {type_} {low}, {type_} {high}, <{2 * width} x i32> <{places}>")
            for low, high in zip(pieces[::2], pieces[1::2], strict=True)
        ]
        width *= 2
    (whole,) = pieces
    if width == code.lanes:
        return whole
    places = ", ".join(f"i32 {each}" for each in range(code.lanes))
    type_ = f"<{width} x {element}>"
    return code.add(f"shufflevector {type_} {whole}, {type_} poison, <{code.lanes} x i32> <{places}>")
