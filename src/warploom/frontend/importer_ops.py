# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM instructions other than calls, phis and branches: each becomes the op of the same name."""

from __future__ import annotations

import ctypes
from types import MappingProxyType

from warploom.core.remarks import Unsupported
from warploom.frontend.importer_state import BINARY, CASTS, ImportState
from warploom.frontend.promises import EXACT, FLOATING, NOT_NEGATIVE, WRAPPING
from warploom.ir.core import Attribute, Op
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode

ORDERINGS = {
    0: "",
    1: "unordered",
    2: "monotonic",
    4: "acquire",
    5: "release",
    6: "acq_rel",
    7: "seq_cst",
}  # LLVMAtomicOrdering
_RMW = (
    "xchg add sub and nand or xor max min umax umin fadd fsub fmax fmin uinc_wrap udec_wrap usub_cond usub_sat "
    "fmaximum fminimum fmaximumnum fminimumnum"
).split()  # LLVMAtomicRMWBinOp
_FIRST_ICMP = 32  # LLVMIntEQ
_ICMP = tuple("eq ne ugt uge ult ule sgt sge slt sle".split())
_FCMP = "false oeq ogt oge olt ole one ord uno ueq ugt uge ult ule une true".split()
_FAST_MATH = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")
_ALL_FAST = (1 << len(_FAST_MATH)) - 1


class OpImporter:
    """Imports one instruction at a time."""

    def __init__(self, state: ImportState) -> None:
        self.state, self.lib = state, state.lib
        self.same: dict[int, str] = {
            **BINARY,
            **CASTS,
            Opcode.FNEG: "fneg",
            Opcode.SELECT: "select",
            Opcode.FREEZE: "freeze",
            Opcode.EXTRACT_ELEMENT: "extractelement",
            Opcode.INSERT_ELEMENT: "insertelement",
        }

    def run(self, instruction: Handle, opcode: int) -> None:
        """Import `instruction`; Unsupported when there is no op for it."""
        name = self.same.get(opcode)
        if name is not None:
            self._define(instruction, name, self._flags(instruction, opcode))
            return
        handler = self.handlers.get(opcode)
        if handler is None:
            text = self.state.module.text(instruction).strip().partition(", !dbg")[0]
            raise Unsupported(f"the instruction `{text}`")
        handler(self, instruction)

    def _define(self, instruction: Handle, name: str, attrs: dict[str, Attribute]) -> None:
        state, lib = self.state, self.lib
        count = lib.LLVMGetNumOperands(instruction)
        operands = [state.operand(lib.LLVMGetOperand(instruction, number)) for number in range(count)]
        if name == "or" and "disjoint" in attrs.get("flags", ()):  # type: ignore[operator]
            # No bit is set in both: the sum, which the analyses of addresses understand.
            name, attrs = "add", {"flags": ("nuw", "nsw")}
        state.define(instruction, name, operands, attrs)

    def _flags(self, instruction: Handle, opcode: int) -> dict[str, Attribute]:
        lib = self.lib
        flags: list[str] = []
        if opcode in WRAPPING:
            flags += ["nuw"] if lib.LLVMGetNUW(instruction) else []
            flags += ["nsw"] if lib.LLVMGetNSW(instruction) else []
        elif opcode in EXACT:
            flags += ["exact"] if lib.LLVMGetExact(instruction) else []
        elif opcode in NOT_NEGATIVE and lib.LLVMGetNNeg(instruction):
            flags.append("nneg")
        elif opcode == Opcode.OR and lib.LLVMGetIsDisjoint(instruction):
            flags.append("disjoint")
        if opcode in FLOATING:
            flags += (flag for flag in fast_math(self.state, instruction) if flag != "afn")
        return {"flags": tuple(flags)} if flags else {}

    def _icmp(self, instruction: Handle) -> None:
        number: int = self.lib.LLVMGetICmpPredicate(instruction) - _FIRST_ICMP
        self._define(instruction, "icmp", {"pred": _ICMP[number]})

    def _fcmp(self, instruction: Handle) -> None:
        number: int = self.lib.LLVMGetFCmpPredicate(instruction)
        self._define(instruction, "fcmp", {"pred": _FCMP[number], **self._flags(instruction, Opcode.FCMP)})

    def _gep(self, instruction: Handle) -> None:
        if self.state.types.of(instruction) != "ptr":
            raise Unsupported("a vector of addresses")
        self.state.values[instruction] = self.state.address(instruction, self.state.hint(instruction))

    def _alloca(self, instruction: Handle) -> None:
        lib, state = self.lib, self.state
        count = lib.LLVMGetOperand(instruction, 0)
        if not lib.LLVMIsAConstantInt(count):
            raise Unsupported("an array of variable length in private memory")
        size = state.types.size(lib.LLVMGetAllocatedType(instruction)) * lib.LLVMConstIntGetZExtValue(count)
        state.define(instruction, "alloca", [], {"size": size, "align": lib.LLVMGetAlignment(instruction)})

    def _access(self, instruction: Handle) -> dict[str, Attribute]:
        """Attributes of a load or store."""
        lib = self.lib
        attrs: dict[str, Attribute] = {"align": lib.LLVMGetAlignment(instruction)}
        if lib.LLVMGetVolatile(instruction):
            attrs["volatile"] = True
        ordering = ORDERINGS[lib.LLVMGetOrdering(instruction)]
        if ordering:
            attrs["ordering"] = ordering
            attrs.update(self._scope(instruction))
        return attrs

    def _scope(self, instruction: Handle) -> dict[str, Attribute]:
        return {"scope": "singlethread"} if self.lib.LLVMIsAtomicSingleThread(instruction) else {}

    def _load(self, instruction: Handle) -> None:
        self._define(instruction, "load", self._access(instruction))

    def _store(self, instruction: Handle) -> None:
        state, lib = self.state, self.lib
        operands = [state.operand(lib.LLVMGetOperand(instruction, number)) for number in range(2)]
        state.add(Op("store", operands, attrs=self._access(instruction)))

    def _atomicrmw(self, instruction: Handle) -> None:
        number = self.lib.LLVMGetAtomicRMWBinOp(instruction)
        if number >= len(_RMW):
            raise Unsupported(f"the instruction `{self.state.module.text(instruction).strip()}`")
        self._define(instruction, "atomicrmw", {"operation": _RMW[number], **self._access(instruction)})

    def _cmpxchg(self, instruction: Handle) -> None:
        lib = self.lib
        attrs: dict[str, Attribute] = {
            "align": lib.LLVMGetAlignment(instruction),
            "ordering": ORDERINGS[lib.LLVMGetCmpXchgSuccessOrdering(instruction)],
            "failure": ORDERINGS[lib.LLVMGetCmpXchgFailureOrdering(instruction)],
            **self._scope(instruction),
        }
        if lib.LLVMGetVolatile(instruction):
            attrs["volatile"] = True
        if lib.LLVMGetWeak(instruction):
            attrs["weak"] = True
        self._define(instruction, "cmpxchg", attrs)

    def _fence(self, instruction: Handle) -> None:
        attrs: dict[str, Attribute] = {"ordering": ORDERINGS[self.lib.LLVMGetOrdering(instruction)]}
        self.state.add(Op("fence", attrs={**attrs, **self._scope(instruction)}))

    def _shufflevector(self, instruction: Handle) -> None:
        lib = self.lib
        count = lib.LLVMGetNumMaskElements(instruction)
        mask = tuple(lib.LLVMGetMaskValue(instruction, number) for number in range(count))
        self._define(instruction, "shufflevector", {"mask": mask})

    def _path(self, instruction: Handle) -> dict[str, Attribute]:
        count = self.lib.LLVMGetNumIndices(instruction)
        indices = ctypes.cast(self.lib.LLVMGetIndices(instruction), ctypes.POINTER(ctypes.c_uint))
        return {"path": tuple(indices[number] for number in range(count))}

    def _extractvalue(self, instruction: Handle) -> None:
        self._define(instruction, "extractvalue", self._path(instruction))

    def _insertvalue(self, instruction: Handle) -> None:
        self._define(instruction, "insertvalue", self._path(instruction))

    # Of the class: an instance that holds its own methods is garbage that is looked for, late, and the kernel with it.
    handlers = MappingProxyType(
        {
            Opcode.ICMP: _icmp,
            Opcode.FCMP: _fcmp,
            Opcode.GEP: _gep,
            Opcode.ALLOCA: _alloca,
            Opcode.LOAD: _load,
            Opcode.STORE: _store,
            Opcode.ATOMIC_RMW: _atomicrmw,
            Opcode.ATOMIC_CMP_XCHG: _cmpxchg,
            Opcode.FENCE: _fence,
            Opcode.SHUFFLE_VECTOR: _shufflevector,
            Opcode.EXTRACT_VALUE: _extractvalue,
            Opcode.INSERT_VALUE: _insertvalue,
        }
    )


def fast_math(state: ImportState, instruction: Handle) -> list[str]:
    """The fast-math flags of an instruction."""
    lib = state.lib
    if not lib.LLVMCanValueUseFastMathFlags(instruction):
        return []
    bits = lib.LLVMGetFastMathFlags(instruction)
    if bits == _ALL_FAST:
        return ["fast"]
    return [name for number, name in enumerate(_FAST_MATH) if bits >> number & 1] if bits else []
