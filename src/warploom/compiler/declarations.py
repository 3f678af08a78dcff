# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signatures of kernels and types of variables, read off the debug records of a module as clang emits it."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from warploom.backend.demangle import demangled
from warploom.compiler.signature import Contents, Global, KernelSignature, Parameter, Type
from warploom.core.patterns import regex
from warploom.core.records import replace
from warploom.frontend.device_module import Kernel, parameter_types, read_device_module
from warploom.frontend.type_alignment import alignment_of, base_type, members
from warploom.llvm.binding import Handle
from warploom.llvm.module import Module

MARKER = "__warploom_named_"  # begins the name of a variable that points to what a name expression stands for
_TUPLE, _BASIC, _DERIVED = 4, 11, 12  # LLVMMetadataKind
_ARRAY, _ENUMERATION, _POINTER, _REFERENCE, _STRUCTURE, _TYPEDEF = 0x01, 0x04, 0x0F, 0x10, 0x13, 0x16
_CONST, _VOLATILE, _RVALUE, _RESTRICT, _CLASS = 0x26, 0x35, 0x42, 0x37, 0x02
_INHERITANCE = 0x1C
_TRANSPARENT = (_TYPEDEF, _CONST, _VOLATILE, _RESTRICT)
_BIT_FIELD, _VECTOR = 1 << 19, 1 << 11  # DIFlags
_VARIABLE, _VARIABLE_TYPE = 0, 3  # operands of a DIGlobalVariableExpression and of a DIGlobalVariable
_COUNT = regex(r"!DISubrange\(count: (\d+)")
_LAYOUTS = {"__half": "f", "__nv_bfloat16": "bf"}  # classes of our headers that are numbers to the user


def read_declarations(module: Module) -> Contents:
    """What `module`, fresh from the device pass, declares; its annotations are consumed.

    `lowered` maps the number of each marker variable to the symbol that it points to.
    """
    types = dict(_variable_types(module))
    device = read_device_module(module, separate=False, loadable=True)
    kernels = tuple(_signature(module, kernel) for kernel in device.kernels)
    lowered = dict(_marked(module))
    variables = tuple(
        Global(variable.name, variable.size, variable.constant, types.get(variable.name))
        for variable in device.variables
        if not variable.name.startswith(MARKER)
    )
    return Contents(kernels, variables, lowered)


def _signature(module: Module, kernel: Kernel) -> KernelSignature:
    types = parameter_types(module, module.find(kernel.name))
    parameters = tuple(_parameter(module, node, size) for node, size in zip(types, kernel.sizes, strict=True))
    return KernelSignature(kernel.name, demangled(kernel.name), parameters, kernel.max_threads)


def _parameter(module: Module, node: Handle, size: int) -> Parameter:
    node, _ = _bare(module, node)
    if not _is_address(module, node):
        found = type_of(module, node)
        return Parameter(found, False, False, size, found.name)
    target, is_const = _bare(module, base_type(module, node))
    found = type_of(module, target) if target and not _is_address(module, target) else None
    name = found.name if found else "void" if not target else "T *"
    mark = "&" if module.lib.LLVMGetDINodeTag(node) != _POINTER else "*"
    return Parameter(found, True, is_const, size, f"{'const ' if is_const else ''}{name} {mark}")


def _bare(module: Module, node: Handle) -> tuple[Handle, bool]:
    """A type without typedefs and qualifiers, and whether one of these was const."""
    is_const = False
    while node and module.lib.LLVMGetMetadataKind(node) == _DERIVED:
        tag = module.lib.LLVMGetDINodeTag(node)
        if tag not in _TRANSPARENT:
            break
        is_const |= tag == _CONST
        node = base_type(module, node)
    return node, is_const


def _is_address(module: Module, node: Handle) -> bool:
    tags = (_POINTER, _REFERENCE, _RVALUE)
    return module.lib.LLVMGetMetadataKind(node) == _DERIVED and module.lib.LLVMGetDINodeTag(node) in tags


def type_of(module: Module, node: Handle) -> Type:
    """The type that a DIType describes."""
    node, _ = _bare(module, node)
    if not node:
        return Type("void", "opaque", 0, 1)
    lib, name = module.lib, module.type_name(node)
    size, alignment = lib.LLVMDITypeGetSizeInBits(node) // 8, alignment_of(module, node)
    opaque = Type(name or "?", "opaque", size, alignment)
    if lib.LLVMGetMetadataKind(node) == _BASIC:
        return replace(opaque, kind=_kind_of_number(name))
    tag = lib.LLVMGetDINodeTag(node)
    if tag == _ENUMERATION:
        base = base_type(module, node)
        return replace(opaque, kind=type_of(module, base).kind if base else "i")
    if tag == _ARRAY and not lib.LLVMDITypeGetFlags(node) & _VECTOR:
        return _array(module, node, size, alignment)
    if tag in (_STRUCTURE, _CLASS):
        return _struct(module, node, opaque)
    return opaque


def _kind_of_number(name: str) -> str:
    if name == "bool":
        return "b"
    if name in ("float", "double", "_Float16", "half"):
        return "f"
    if name == "__bf16":
        return "bf"
    if name in ("long double", "__float128"):
        return "opaque"
    return "u" if name.startswith(("unsigned", "char8", "char16", "char32")) else "i"


def _array(module: Module, node: Handle, size: int, alignment: int) -> Type:
    element = type_of(module, base_type(module, node))
    counts = _COUNT.findall(" ".join(_element_texts(module, node)))
    shape = tuple(map(int, counts))
    if not shape or element.size * prod(shape) != size:  # `[]`
        shape = (size // element.size if element.size else 0,)
    name = element.name + "".join(f"[{extent}]" for extent in shape)
    return Type(name, "array", size, alignment, element=element, shape=shape)


def _element_texts(module: Module, node: Handle) -> Iterator[str]:
    for operand in module.metadata_operands(node):
        if operand and module.lib.LLVMGetMetadataKind(operand) == _TUPLE:
            for element in module.metadata_operands(operand):
                yield module.text(module.lib.LLVMMetadataAsValue(module.context, element))


def _struct(module: Module, node: Handle, opaque: Type) -> Type:
    lib = module.lib
    if opaque.name in _LAYOUTS:
        return replace(opaque, kind=_LAYOUTS[opaque.name])
    fields: list[tuple[str, int, Type]] = []
    for member in members(module, node):
        found, offset = type_of(module, base_type(module, member)), lib.LLVMDITypeGetOffsetInBits(member)
        if lib.LLVMDITypeGetFlags(member) & _BIT_FIELD:
            return opaque
        if lib.LLVMGetDINodeTag(member) == _INHERITANCE:
            fields += [(name, offset // 8 + at, each) for name, at, each in found.fields]
        else:
            fields.append((module.type_name(member), offset // 8, _field_type(module, member, found)))
    names = [name for name, _, _ in fields]
    is_plain = all(names) and len(set(names)) == len(names)
    return replace(opaque, kind="struct", fields=tuple(fields)) if is_plain and fields else opaque


def _field_type(module: Module, member: Handle, found: Type) -> Type:
    node, _ = _bare(module, base_type(module, member))
    if node and _is_address(module, node):
        return Type("pointer", "u", 8, 8)  # an address, which NumPy has as a number
    return found


def _variable_types(module: Module) -> Iterator[tuple[str, Type]]:
    """The type of each variable that has a debug record."""
    for variable in module.globals():
        for record in module.metadata_of(variable):
            operands = module.metadata_operands(record)
            described = module.metadata_operands(operands[_VARIABLE]) if operands and operands[_VARIABLE] else []
            if len(described) > _VARIABLE_TYPE and described[_VARIABLE_TYPE]:
                yield module.name(variable), type_of(module, described[_VARIABLE_TYPE])


def _marked(module: Module) -> Iterator[tuple[str, str]]:
    """For each marker its number and the symbol that it points to; no symbol where it points to none."""
    for variable in module.globals():
        name = module.name(variable)
        if name.startswith(MARKER):
            target = module.lib.LLVMGetInitializer(variable)
            is_symbol = bool(target) and bool(module.lib.LLVMIsAGlobalValue(target))
            yield name.removeprefix(MARKER), module.name(target) if is_symbol else ""
