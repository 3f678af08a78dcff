# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that LLVM's C interface has names for: plain ones, since enumerations of them take a millisecond to make."""

from __future__ import annotations

UNOPTIMISED = ("optnone", "noinline")  # attributes of a function that is left as it is: LLVM wants both
FUNCTION_INDEX = 0xFFFFFFFF  # of what an attribute belongs to: the function itself


class Linkage:
    """LLVMLinkage."""

    EXTERNAL = 0
    AVAILABLE_EXTERNALLY = 1
    LINK_ONCE_ODR = 3
    WEAK_ANY = 5
    WEAK_ODR = 6
    APPENDING = 7
    INTERNAL = 8
    PRIVATE = 9
    EXTERNAL_WEAK = 12


class Visibility:
    """LLVMVisibility."""

    DEFAULT = 0
    HIDDEN = 1
    PROTECTED = 2


class Opcode:
    """LLVMOpcode."""

    RET = 1
    BR = 2
    SWITCH = 3
    UNREACHABLE = 7
    ADD = 8
    FADD = 9
    SUB = 10
    FSUB = 11
    MUL = 12
    FMUL = 13
    UDIV = 14
    SDIV = 15
    FDIV = 16
    UREM = 17
    SREM = 18
    FREM = 19
    SHL = 20
    LSHR = 21
    ASHR = 22
    AND = 23
    OR = 24
    XOR = 25
    ALLOCA = 26
    LOAD = 27
    STORE = 28
    GEP = 29
    TRUNC = 30
    ZEXT = 31
    SEXT = 32
    FP_TO_UI = 33
    FP_TO_SI = 34
    UI_TO_FP = 35
    SI_TO_FP = 36
    FP_TRUNC = 37
    FP_EXT = 38
    PTR_TO_INT = 39
    INT_TO_PTR = 40
    BIT_CAST = 41
    ICMP = 42
    FCMP = 43
    PHI = 44
    CALL = 45
    SELECT = 46
    EXTRACT_ELEMENT = 50
    INSERT_ELEMENT = 51
    SHUFFLE_VECTOR = 52
    EXTRACT_VALUE = 53
    INSERT_VALUE = 54
    FENCE = 55
    ATOMIC_CMP_XCHG = 56
    ATOMIC_RMW = 57
    ADDR_SPACE_CAST = 60
    FNEG = 66
    FREEZE = 68
    UNCONDITIONAL_BR = 70  # from LLVM 23 on; before, BR is both
    CONDITIONAL_BR = 71


class TypeKind:
    """LLVMTypeKind."""

    VOID = 0
    HALF = 1
    FLOAT = 2
    DOUBLE = 3
    INTEGER = 8
    STRUCT = 10
    ARRAY = 11
    POINTER = 12
    VECTOR = 13
    METADATA = 14
    BFLOAT = 18
