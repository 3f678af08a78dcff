# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements of PTX to C++: registers are variables, a guard is an `if`, a branch is a `goto`.

    @p add.u32 %0, %1, 5;       ==>       if (v1_p) { set(o0, add<rn, false, false>(in<u32>(i1), u32(5ull))); }

Nothing is evaluated here: the C++ is compiled with Warploom's device headers (include/warploom/ptx), so that
what an instruction means is written once, as C++ that both engines then optimise like the rest of the program.
"""

from __future__ import annotations

from warploom.frontend.ptx.syntax import (
    Address,
    Both,
    Constant,
    Instruction,
    Negated,
    Operand,
    PtxError,
    Register,
    Selected,
    Sink,
    Special,
    Vector,
)  # fmt: skip
from warploom.frontend.ptx.types import TYPES

# Special register -> C++ of it. Those of hardware that a CPU has not are what a GPU of one multiprocessor would say.
SPECIAL = {
    **{f"tid.{axis}": f"__warploom_thread_idx_{axis}()" for axis in "xyz"},
    **{f"ctaid.{axis}": f"__warploom_block_idx_{axis}()" for axis in "xyz"},
    **{f"ntid.{axis}": f"__warploom_block_dim_{axis}()" for axis in "xyz"},
    **{f"nctaid.{axis}": f"__warploom_grid_dim_{axis}()" for axis in "xyz"},
    **{f"cluster_ctaid.{axis}": f"__warploom_block_index_in_cluster().{axis}" for axis in "xyz"},
    **{f"cluster_nctaid.{axis}": f"__warploom_cluster_dim_{axis}()" for axis in "xyz"},
    **{f"clusterid.{axis}": f"__warploom_cluster_index().{axis}" for axis in "xyz"},
    **{f"nclusterid.{axis}": f"__warploom_grid_dim_in_clusters().{axis}" for axis in "xyz"},
    "cluster_ctarank": "__warploom_block_rank_in_cluster()",
    "cluster_nctarank": "__warploom_cluster_size()",
    **{f"lanemask_{which}": f"lanemask_{which}()" for which in ("eq", "lt", "le", "gt", "ge")},
    "laneid": "__warploom_lane_id()",
    "warpid": "__warploom_warp_id()",
    "nwarpid": "nwarpid()",
    "smid": "u32(0)",
    "nsmid": "u32(1)",
    "gridid": "u64(0)",
    "clock": "u32(__warploom_clock64())",
    "clock_hi": "u32(__warploom_clock64() >> 32)",
    "clock64": "u64(__warploom_clock64())",
    "globaltimer": "__warploom_globaltimer()",
    "globaltimer_lo": "u32(__warploom_globaltimer())",
    "globaltimer_hi": "u32(__warploom_globaltimer() >> 32)",
    "dynamic_smem_size": "__warploom_dynamic_shared_size()",
}

# The place of an asm statement, as the C++ says it.
HERE = "__builtin_FILE(), __builtin_LINE()"


class Emitter:
    """The state of one program on its way to C++; instructions ask it for their operands."""

    def __init__(self, *, has_carry: bool = False) -> None:
        self.has_carry = has_carry  # that other asm statements left, in `carry`
        self.sets_carry = has_carry
        self._temporaries = 0

    def temporary(self) -> str:
        """A name that no variable has."""
        self._temporaries += 1
        return f"t{self._temporaries}"

    # -- sources ------------------------------------------------------------------------------------------------------

    def value(self, operand: Operand, type_: str, *, may_be_wider: bool = False) -> str:
        """An operand as a C++ value of `type_`; a PtxError when it cannot be one."""
        cpp, bits = TYPES[type_]
        if type_ == "pred":
            return self.predicate(operand)
        if isinstance(operand, Constant):
            return self._constant(operand, type_)
        if isinstance(operand, Special):
            return f"in<{cpp}>({special(operand)})"
        if isinstance(operand, Vector):
            return f"in<{cpp}>({self.packed(operand, bits)})"
        if not isinstance(operand, Register):
            raise PtxError(f"a .{type_} operand must be a register or a constant")
        _check_width(operand, type_, bits, may_be_wider=may_be_wider)
        return f"in<{cpp}>({operand.variable})"

    def predicate(self, operand: Operand) -> str:
        """A predicate as a C++ bool."""
        if isinstance(operand, Negated):
            return f"!{operand.register.variable}"
        if isinstance(operand, Constant):
            return "true" if operand.value else "false"
        if not isinstance(operand, Register) or operand.bits != 1:
            raise PtxError("expected a predicate register")
        return operand.variable

    def _constant(self, constant: Constant, type_: str) -> str:
        cpp, bits = TYPES[type_]
        if constant.bits:
            if constant.bits == 64 and bits == 32:  # a decimal literal takes the type of its place
                return f"in<{cpp}>(__builtin_bit_cast(u32, float(__builtin_bit_cast(double, {constant.value}ull))))"
            if constant.bits != bits:
                raise PtxError(f"a {constant.bits}-bit floating-point constant as a .{type_} operand")
        elif type_ in ("f32", "f64"):
            raise PtxError(f"an integer constant as a .{type_} operand")
        return f"in<{cpp}>(u64({constant.value & (1 << 64) - 1}ull))"

    def packed(self, vector: Vector, bits: int) -> str:
        """`{low, ..., high}` as one unsigned number of `bits` bits."""
        each = bits // len(vector.elements)
        if each not in (8, 16, 32, 64):
            raise PtxError(f"{len(vector.elements)} parts in {bits} bits")
        wide = f"u{bits}"
        parts = [
            f"{wide}({self.value(element, f'b{each}')}) << {index * each}"
            for index, element in enumerate(vector.elements)
        ]
        return "(" + " | ".join(parts) + ")"

    def address(self, operand: Operand, space: str) -> str:
        """`[base + offset]` in `space` as a C++ pointer."""
        if not isinstance(operand, Address):
            raise PtxError("expected an address in brackets")
        base = operand.base
        if isinstance(base, Register) and base.bits not in ((64,) if space == "global" else (32, 64)):
            raise PtxError(f"an address of {base.bits} bits")
        number = f"u64({base.variable})" if isinstance(base, Register) else f"u64({base.value}ull)"
        if operand.offset:
            number = f"({number} + u64({operand.offset}ll))"
        if space != "global":
            return f"{space}_pointer({number})"
        return f"reinterpret_cast<void *>({number})"

    # -- results ------------------------------------------------------------------------------------------------------

    def assign(self, target: Operand, type_: str, code: str, *, may_be_wider: bool = False) -> str:
        """`target = code`, which is of `type_`."""
        if isinstance(target, Sink):
            return f"{code};"
        if isinstance(target, Vector):
            return self._unpack(target, type_, code)
        if not isinstance(target, Register):
            raise PtxError("a result must be a register")
        _check_width(target, type_, TYPES[type_][1], may_be_wider=may_be_wider)
        return f"set({target.variable}, {code});"

    def _unpack(self, target: Vector, type_: str, code: str) -> str:
        bits = TYPES[type_][1]
        each, name = bits // len(target.elements), self.temporary()
        parts = [f"u{bits} {name} = 0; set({name}, {code});"]
        parts += [
            self.assign(element, f"b{each}", f"u{each}({name} >> {index * each})")
            for index, element in enumerate(target.elements)
        ]
        return " ".join(parts)

    def pair(self, target: Operand, optional: bool = True) -> tuple[Operand, Operand]:
        """The two results of `d|p`; the second is a sink when only `d` is written."""
        if isinstance(target, Both):
            return target.first, target.second
        if not optional:
            raise PtxError("two results d|p are needed")
        return target, Sink()


def special(operand: Special) -> str:
    """The C++ of a special register; a PtxError for one that is not known."""
    if operand.name not in SPECIAL:
        raise PtxError(f"the special register %{operand.name} is not supported", f"%{operand.name}")
    return SPECIAL[operand.name]


def integer(operand: Operand) -> int:
    """An operand that must be an integer constant."""
    if not isinstance(operand, Constant) or operand.bits:
        raise PtxError("expected an integer constant")
    return operand.value


def part_of(operand: Operand) -> tuple[Operand, str]:
    """A register, and which part of it was selected (empty: all)."""
    return (operand.register, operand.part) if isinstance(operand, Selected) else (operand, "")


def registers(operand: Operand, count: int) -> tuple[Operand, ...]:
    """The registers of a vector, or the one register; a PtxError unless there are `count`."""
    elements = operand.elements if isinstance(operand, Vector) else (operand,)
    if len(elements) != count:
        raise PtxError(f"expected {count} registers, found {len(elements)}")
    return elements


def expect(instruction: Instruction, least: int, most: int | None = None) -> None:
    """A PtxError unless the instruction has that many operands."""
    count = len(instruction.operands)
    if not least <= count <= (least if most is None else most):
        raise PtxError(f"{count} operands")


def _check_width(register: Register, type_: str, bits: int, *, may_be_wider: bool) -> None:
    if register.bits == bits or (may_be_wider and 1 < bits < register.bits):
        return
    # clang hands a char over as it is; PTX would have put it into a wider register.
    raise PtxError(f"a register of {register.bits} bits as a .{type_} operand")
