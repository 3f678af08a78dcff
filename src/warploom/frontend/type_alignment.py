# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The alignment of a source type, from its debug record.

A parameter buffer (cudaGetParameterBuffer, cudaSetupArgument, cuLaunchKernel's `extra`) holds each argument at the
next multiple of its type's alignment, which its size does not tell: `struct { char c[8]; }` has alignment 1. Records
name an alignment only where the source does; the rest follows from the members, as the x86-64 psABI has it.
"""

from __future__ import annotations

from warploom.llvm.binding import Handle
from warploom.llvm.module import Module

_TUPLE, _BASIC, _DERIVED, _COMPOSITE = 4, 11, 12, 13  # LLVMMetadataKind
_ARRAY, _ENUMERATION, _MEMBER, _INHERITANCE = 0x01, 0x04, 0x0D, 0x1C  # DWARF tags
_ADDRESSES = (0x0F, 0x10, 0x42, 0x1F)  # pointers, references, pointers to members
_VECTOR, _STATIC = 1 << 11, 1 << 12  # DIFlags
_POINTER_SIZE = 8
_LARGEST_SCALAR = 16


def alignment_of(module: Module, node: Handle) -> int:
    """The alignment of the type that `node`, a DIType, describes, in bytes; 1 for a type without members."""
    if not node:
        return 1
    return max(module.lib.LLVMDITypeGetAlignInBits(node) // 8, _natural(module, node))


def _natural(module: Module, node: Handle) -> int:
    lib = module.lib
    kind, tag = lib.LLVMGetMetadataKind(node), lib.LLVMGetDINodeTag(node)
    size = lib.LLVMDITypeGetSizeInBits(node) // 8
    if kind == _BASIC or (kind == _COMPOSITE and tag == _ENUMERATION):
        return min(size, _LARGEST_SCALAR) or 1
    if kind == _DERIVED:
        return _POINTER_SIZE if tag in _ADDRESSES else alignment_of(module, base_type(module, node))
    if tag == _ARRAY:
        return size if lib.LLVMDITypeGetFlags(node) & _VECTOR else alignment_of(module, base_type(module, node))
    return max((_of_member(module, member) for member in members(module, node)), default=1)


def _of_member(module: Module, member: Handle) -> int:
    """What a member asks of its struct: nothing where the struct is packed, so that the member lies anywhere."""
    alignment = alignment_of(module, member)
    return alignment if module.lib.LLVMDITypeGetOffsetInBits(member) % (8 * alignment) == 0 else 1


def members(module: Module, node: Handle) -> list[Handle]:
    """Non-static members and bases. Bit-fields count by their type, wherever they lie."""
    lib = module.lib
    elements = next((each for each in module.metadata_operands(node) if each and _kind(module, each) == _TUPLE), 0)
    return [
        each
        for each in (module.metadata_operands(elements) if elements else [])
        if each
        and _kind(module, each) == _DERIVED
        and lib.LLVMGetDINodeTag(each) in (_MEMBER, _INHERITANCE)
        and not lib.LLVMDITypeGetFlags(each) & _STATIC
    ]


def base_type(module: Module, node: Handle) -> Handle:
    """What a typedef, a qualified type or an array is made of; 0 when nothing. It is a record's last type operand."""
    types = (_BASIC, _DERIVED, _COMPOSITE)
    operands = reversed(module.metadata_operands(node))
    return next((each for each in operands if each and _kind(module, each) in types), 0)


def _kind(module: Module, node: Handle) -> int:
    return module.lib.LLVMGetMetadataKind(node)
