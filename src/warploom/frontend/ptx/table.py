# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of instructions: name -> operands, types, modifiers, C++.

A row's signature lists the types of the operands, the result first ("-": none): `T` is the first type of the name,
`U` the second, `W` twice as wide as T, any other a type itself. In the C++, {0}, {1}, ... are the operands after the
result, {T} and {U} the types, {round}, {ftz}, {sat}, {relu} the modifiers as template arguments. Several rows of one
name differ in types or modifiers: the first that takes the instruction is meant.
Semantics: PTX ISA, chapter "Instruction Set"; what has more than a row's worth of cases is in rows of `Custom`.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.core.records import dataclass
from warploom.frontend.ptx import convert, matrix, mbarrier, memory, mma, select, synchronise, video, warp
from warploom.frontend.ptx.carries import CARRY_UNKNOWN
from warploom.frontend.ptx.emitter import Emitter, expect
from warploom.frontend.ptx.syntax import Instruction, PtxError
from warploom.frontend.ptx.types import (
    BITS,
    FLOATS,
    HALVES,
    INTEGERS,
    LONG_BITS,
    TYPES,
    WORDS,
)  # fmt: skip

Custom = Callable[[Emitter, Instruction, list[str]], str]
_ROUNDINGS = frozenset(("rn", "rz", "rm", "rp"))
_ONE = frozenset
_F32, _F64, _S32, _U32, _B32, _PRED = (_ONE((name,)) for name in ("f32", "f64", "s32", "u32", "b32", "pred"))
_F32X2, _PAIRS = _ONE(("f32x2",)), frozenset(("u16x2", "s16x2"))
_WIDE = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}


@dataclass(frozen=True)
class Row:
    """One form of an instruction."""

    signature: str
    code: str
    types: tuple[frozenset[str], ...]
    needs: frozenset[str]  # modifiers that must be there
    allows: frozenset[str]  # and those that may

    def takes(self, types: list[str], modifiers: list[str]) -> bool:
        """Whether an instruction of this name with these types and modifiers is of this form."""
        if len(types) != len(self.types):
            return False
        known = all(found in allowed for found, allowed in zip(types, self.types, strict=True))
        return known and self.needs <= set(modifiers) <= self.needs | self.allows


def _row(signature: str, code: str, *types: frozenset[str], mods: str = "", needs: str = "") -> Row:
    return Row(signature, code, types, frozenset(needs.split()), frozenset(mods.split()))


_FLOAT_MODS = "rn rz rm rp ftz sat"
_CARRIES = {
    "add.cc": ("T T T", "carry_add<false, true>({0}, {1}, carry)"),
    "addc": ("T T T", "carry_add<true, false>({0}, {1}, carry)"),
    "addc.cc": ("T T T", "carry_add<true, true>({0}, {1}, carry)"),
    "sub.cc": ("T T T", "carry_sub<false, true>({0}, {1}, carry)"),
    "subc": ("T T T", "carry_sub<true, false>({0}, {1}, carry)"),
    "subc.cc": ("T T T", "carry_sub<true, true>({0}, {1}, carry)"),
    **{
        f"mad{use}.{half}{cc}": (
            "T T T T",
            f"carry_add<{str(bool(use)).lower()}, {str(bool(cc)).lower()}>(mul_{half}({{0}}, {{1}}), {{2}}, carry)",
        )
        for use, cc in (("", ".cc"), ("c", ""), ("c", ".cc"))
        for half in ("lo", "hi")
    },
}
_ANY_INTEGER_OR_BITS = INTEGERS | BITS
_PRMT_MODES = ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")

ROWS: dict[str, list[Row]] = {
    **{
        name: [
            _row("T T T", f"{name}<rn, false, true>({{0}}, {{1}})", _S32, needs="sat"),
            _row("T T T", f"{name}<rn, false, false>({{0}}, {{1}})", INTEGERS),
            _row("T T T", f"{name}_floats<{{round}}, {{ftz}}>({{0}}, {{1}})", _F32X2, mods="rn rz rm rp ftz"),
            *([_row("T T T", "add_pairs({0}, {1})", _PAIRS)] if name == "add" else []),
            _row("T T T", f"{name}<{{round}}, {{ftz}}, {{sat}}>({{0}}, {{1}})", FLOATS | HALVES, mods=_FLOAT_MODS),
        ]
        for name in ("add", "sub")
    },
    **{name: [_row(s, code, frozenset(("u32", "s32", "u64", "s64")))] for name, (s, code) in _CARRIES.items()},
    "mul": [
        _row("T T T", "mul_lo({0}, {1})", INTEGERS),
        _row("T T T", "mul<{round}, {ftz}, {sat}>({0}, {1})", FLOATS | HALVES, mods=_FLOAT_MODS),
        _row("T T T", "mul_floats<{round}, {ftz}>({0}, {1})", _F32X2, mods="rn rz rm rp ftz"),
    ],
    "mul.lo": [_row("T T T", "mul_lo({0}, {1})", INTEGERS)],
    "mul.hi": [_row("T T T", "mul_hi({0}, {1})", INTEGERS)],
    "mul.wide": [_row("W T T", "mul_wide({0}, {1})", frozenset(_WIDE))],
    "mad": [_row("T T T T", "fma<{round}, {ftz}, {sat}, false>({0}, {1}, {2})", FLOATS, mods=_FLOAT_MODS)],
    "mad.lo": [_row("T T T T", "integer_add<false>(mul_lo({0}, {1}), {2})", INTEGERS)],
    "mad.hi": [
        _row("T T T T", "integer_add<true>(mul_hi({0}, {1}), {2})", _S32, needs="sat"),
        _row("T T T T", "integer_add<false>(mul_hi({0}, {1}), {2})", INTEGERS),
    ],
    "mad.wide": [_row("W T T W", "integer_add<false>(mul_wide({0}, {1}), {2})", frozenset(_WIDE))],
    "mul24.lo": [_row("T T T", "mul24_lo({0}, {1})", WORDS)],
    "mul24.hi": [_row("T T T", "mul24_hi({0}, {1})", WORDS)],
    "mad24.lo": [_row("T T T T", "integer_add<false>(mul24_lo({0}, {1}), {2})", WORDS)],
    "mad24.hi": [
        _row("T T T T", "integer_add<true>(mul24_hi({0}, {1}), {2})", _S32, needs="sat"),
        _row("T T T T", "integer_add<false>(mul24_hi({0}, {1}), {2})", WORDS),
    ],
    "fma": [
        _row("T T T T", "fma<{round}, {ftz}, {sat}, {relu}>({0}, {1}, {2})", FLOATS, mods=_FLOAT_MODS),
        _row("T T T T", "fma<{round}, {ftz}, {sat}, {relu}>({0}, {1}, {2})", HALVES, mods="rn ftz sat relu"),
        _row("T T T T", "fma_floats<{round}, {ftz}>({0}, {1}, {2})", _F32X2, mods="rn rz rm rp ftz"),
    ],
    "sad": [_row("T T T T", "sad({0}, {1}, {2})", INTEGERS)],
    "div": [
        _row("T T T", "div<rn, false>({0}, {1})", INTEGERS),
        _row("T T T", "div<{round}, {ftz}>({0}, {1})", FLOATS, mods="rn rz rm rp approx full ftz"),
    ],
    "rem": [_row("T T T", "{T}({0} % {1})", INTEGERS)],
    "abs": [_row("T T", "abs<{ftz}>({0})", INTEGERS | FLOATS | HALVES, mods="ftz")],
    "neg": [_row("T T", "neg<{ftz}>({0})", INTEGERS | FLOATS | HALVES, mods="ftz")],
    **{
        name: [
            _row(
                "T T T",
                f"extreme<{larger}, {{ftz}}, {{NaN}}, {{xorsign}}>({{0}}, {{1}})",
                INTEGERS | FLOATS | HALVES,
                mods="ftz NaN xorsign abs",
            ),
            _row("T T T", f"integer_{name}(integer_{name}({{0}}, {{1}}), 0)", _S32, needs="relu"),
            _row("T T T", f"extreme_pairs<{larger}, {{relu}}, {{T}}>({{0}}, {{1}})", _ONE(("s16x2",)), mods="relu"),
            _row("T T T", f"extreme_pairs<{larger}, false, {{T}}>({{0}}, {{1}})", _ONE(("u16x2",))),
        ]
        for name, larger in (("min", "false"), ("max", "true"))
    },
    **{
        name: [
            _row("pred pred pred", f"{{0}} {sign} {{1}}", _PRED),
            _row("T T T", f"{{T}}({{0}} {sign} {{1}})", BITS),
        ]
        for name, sign in (("and", "&"), ("or", "|"), ("xor", "^"))
    },
    "not": [_row("pred pred", "!{0}", _PRED), _row("T T", "{T}(~{0})", BITS)],
    "cnot": [_row("T T", "{T}({0} == 0)", BITS)],
    "shl": [_row("T T u32", "shl({0}, {1})", BITS)],
    "shr": [_row("T T u32", "shr({0}, {1})", _ANY_INTEGER_OR_BITS)],
    **{
        f"shf.{side}.{mode}": [_row("T T T u32", f"shf<{left}, {wrap}>({{0}}, {{1}}, {{2}})", _B32)]
        for side, left in (("l", "true"), ("r", "false"))
        for mode, wrap in (("wrap", "true"), ("clamp", "false"))
    },
    "bfe": [_row("T T u32 u32", "bfe({0}, {1}, {2})", frozenset(("u32", "s32", "u64", "s64")))],
    "bfi": [_row("T T T u32 u32", "bfi({0}, {1}, {2}, {3})", LONG_BITS)],
    "bfind": [_row("u32 T", "bfind<false>({0})", frozenset(("u32", "s32", "u64", "s64")))],
    "bfind.shiftamt": [_row("u32 T", "bfind<true>({0})", frozenset(("u32", "s32", "u64", "s64")))],
    "brev": [_row("T T", "brev({0})", LONG_BITS)],
    "clz": [_row("u32 T", "clz({0})", LONG_BITS)],
    "popc": [_row("u32 T", "popc({0})", LONG_BITS)],
    "bmsk.clamp": [_row("T u32 u32", "bmsk<false>({0}, {1})", _B32)],
    "bmsk.wrap": [_row("T u32 u32", "bmsk<true>({0}, {1})", _B32)],
    "szext.clamp": [_row("T T u32", "szext<false>({0}, {1})", WORDS)],
    "szext.wrap": [_row("T T u32", "szext<true>({0}, {1})", WORDS)],
    "prmt": [
        _row("T T T u32", "prmt({0}, {1}, {2})", _B32),
        *(_row("T T T u32", f"prmt_{mode}({{0}}, {{1}}, {{2}})", _B32, needs=mode) for mode in _PRMT_MODES),
    ],
    "fns": [_row("T T u32 s32", "__fns({0}, {1}, {2})", _B32)],
    "rcp": [_row("T T", "rcp<{round}, {ftz}>({0})", FLOATS, mods="rn rz rm rp approx ftz")],
    "sqrt": [_row("T T", "sqrt<{round}, {ftz}>({0})", FLOATS, mods="rn rz rm rp approx ftz")],
    "rsqrt": [
        _row("T T", "rsqrt_approx<{ftz}>({0})", _F32, mods="approx ftz"),
        _row("T T", "rsqrt_approx<false>({0})", _F64, mods="approx"),
    ],
    "rcp.approx.ftz": [
        _row("T T", "rcp<rn, true>({0})", _F32),
        _row("T T", "upper_half(rcp<rn, false>(upper_half({0})))", _F64),
    ],
    "rsqrt.approx.ftz": [
        _row("T T", "rsqrt_approx<true>({0})", _F32),
        _row("T T", "upper_half(rsqrt_approx<false>(upper_half({0})))", _F64),
    ],
    **{
        name: [_row("T T", f"{name}_approx<{{ftz}}>({{0}})", _F32, mods="approx ftz")] for name in ("sin", "cos", "lg2")
    },
    "ex2": [_row("T T", "ex2_approx<{ftz}>({0})", _F32 | HALVES, mods="approx ftz")],
    "tanh": [_row("T T", "tanh_approx<false>({0})", _F32 | HALVES, mods="approx")],
    "copysign": [_row("T T T", "copysign({0}, {1})", FLOATS)],
    "testp": [
        _row("pred T", f"testp<{name}>({{0}})", FLOATS, needs=name)
        for name in ("finite", "infinite", "number", "notanumber", "normal", "subnormal")
    ],
    "selp": [_row("T T T pred", "{2} ? {0} : {1}", INTEGERS | BITS | FLOATS)],
    "slct": [
        _row("T T T U", "{2} >= 0 ? {0} : {1}", INTEGERS | BITS | FLOATS, _S32),
        _row("T T T U", "flush<{ftz}>({2}) >= 0 ? {0} : {1}", INTEGERS | BITS | FLOATS, _F32, mods="ftz"),
    ],
    "isspacep.shared": [_row("pred u64", "is_shared({0})")],
    "isspacep.shared::cta": [_row("pred u64", "is_shared({0})")],
    "isspacep.shared::cluster": [_row("pred u64", "__warploom_cluster_rank_of(reinterpret_cast<void *>({0})) >= 0")],
    "mapa.shared::cluster": [_row("T T u32", "{T}(cluster_address({0}, {1}))", frozenset(("u32", "u64")))],
    "mapa": [
        _row("T T u32", "u64(__warploom_map_shared_rank(reinterpret_cast<char *>({0}), {1}))", frozenset(("u64",)))
    ],
    "getctarank.shared::cluster": [_row("u32 T", "cluster_address_rank({0})", frozenset(("u32", "u64")))],
    "getctarank": [
        _row("u32 T", "u32(__warploom_cluster_rank_of(reinterpret_cast<void *>({0})))", frozenset(("u64",)))
    ],
    "isspacep.global": [_row("pred u64", "!is_shared({0})")],
    **{
        f"cvta.{space}": [_row("T T", "u64(shared_pointer({0}))", frozenset(("u64",)))]
        for space in ("shared", "shared::cta")
    },
    **{
        f"cvta.to.{space}": [_row("T T", "shared_address({0})", frozenset(("u64",)))]
        for space in ("shared", "shared::cta")
    },
    "cvta.shared::cluster": [_row("T T", "u64(cluster_pointer({0}))", frozenset(("u64",)))],
    **{
        f"cvta{to}.{space}": [_row("T T", "{0}", frozenset(("u64",)))]
        for to in ("", ".to")
        for space in ("global", "local", "const", "param")
    },
    "nanosleep": [_row("- T", "__warploom_nanosleep({0})", _U32)],
    "trap": [_row("-", "__warploom_trap()")],
    "brkpt": [_row("-", "__warploom_trap()")],
    "exit": [_row("-", "__warploom_exit_thread()")],
    "pmevent": [_row("- u32", "(void){0}", mods="mask")],
    # A number of registers: the compiler's own choice.
    **{f"setmaxnreg.{how}.sync.aligned": [_row("- T", "(void){0}", _U32)] for how in ("inc", "dec")},
    "griddepcontrol.wait": [_row("-", "__atomic_thread_fence(__ATOMIC_SEQ_CST)")],
    "griddepcontrol.launch_dependents": [_row("-", "__atomic_thread_fence(__ATOMIC_SEQ_CST)")],
}

CUSTOM: dict[str, Custom] = {
    **select.INSTRUCTIONS,
    **convert.INSTRUCTIONS,
    **memory.INSTRUCTIONS,
    **mbarrier.INSTRUCTIONS,
    **warp.INSTRUCTIONS,
    **synchronise.INSTRUCTIONS,
    **matrix.INSTRUCTIONS,
    **mma.INSTRUCTIONS,
    **video.INSTRUCTIONS,
}


def statement(emitter: Emitter, instruction: Instruction) -> str:
    """The C++ of one instruction; a PtxError when it is not in the table."""
    parts = instruction.parts
    for length in range(len(parts), 0, -1):
        name, rest = ".".join(parts[:length]), list(parts[length:])
        try:
            if name in CUSTOM:
                return CUSTOM[name](emitter, instruction, rest)
            if name in ROWS:
                return _from_rows(emitter, instruction, name, rest)
        except PtxError as error:
            raise PtxError(error.reason, error.instruction or instruction.text) from error
    raise PtxError("the instruction is not supported", instruction.text)


def _from_rows(emitter: Emitter, instruction: Instruction, name: str, rest: list[str]) -> str:
    types = [part for part in rest if part in TYPES]
    modifiers = [part for part in rest if part not in TYPES]
    for row in ROWS[name]:
        if row.takes(types, modifiers):
            return _from_row(emitter, instruction, row, types, modifiers)
    suffix = "".join(f".{part}" for part in rest)
    raise PtxError(f"{name} has no form {suffix or 'without a type'} here")


def _from_row(emitter: Emitter, instruction: Instruction, row: Row, types: list[str], modifiers: list[str]) -> str:
    names = [_type_of(word, types) for word in row.signature.split()]
    has_result = names[0] != "-"
    expect(instruction, len(names) if has_result else len(names) - 1)
    sources = instruction.operands[1:] if has_result else instruction.operands
    values = [emitter.value(operand, name) for operand, name in zip(sources, names[1:], strict=True)]
    if "carry" in row.code:
        _use_carry(emitter, row)
    fields = {key: str(key in modifiers).lower() for key in ("ftz", "sat", "relu", "NaN", "xorsign")}
    fields["round"] = next((part for part in modifiers if part in _ROUNDINGS), "rn")
    fields |= {letter: TYPES[name][0] for letter, name in zip("TU", types, strict=False)}
    code = row.code.format(*values, **fields)
    return emitter.assign(instruction.operands[0], names[0], code) if has_result else f"{code};"


def _type_of(word: str, types: list[str]) -> str:
    if word == "W":
        return _WIDE[types[0]]
    return {"T": types[0], "U": types[-1]}[word] if word in "TU" else word


def _use_carry(emitter: Emitter, row: Row) -> None:
    if "<true" in row.code and not emitter.sets_carry:
        raise PtxError(CARRY_UNKNOWN)
    emitter.sets_carry = True


__all__ = ["CUSTOM", "ROWS", "Row", "statement"]
