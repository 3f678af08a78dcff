# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The image: LLVM text that turns compiled kernels into what the runtime can launch.

For each kernel one entry function that unpacks the argument pointers of a launch, and for the translation unit one
table, registered by a static constructor. The layouts are those of runtime/image.h.

    define internal void @"k.entry.device"(ptr %args)      ; args[i] points at source parameter i
      %p0 = load ptr, ptr %args
      %v0 = load <2 x float>, ptr %p0
      call void @"k.device"(<2 x float> %v0, ...)
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.backend.image_facts import MOST_SIZES, CompiledKernel, ImageFacts, Limits, quoted
from warploom.frontend.device_module import Kernel, Variable
from warploom.frontend.function_facts import Needs
from warploom.llvm.module import Module

IMAGE_VERSION = 10
# Where clang's host part lists what there is to register, with separate compilation: newer ones, and clang 19.
OFFLOAD_ENTRIES = ("llvm_offload_entries", "cuda_offloading_entries")
SUFFIX = ".device"  # of device symbols; demanglers show it as a clone suffix
SHARED_OFFSET = "warploom.shared_offset"
ENTRY = ".entry"  # suffix of the function that unpacks the arguments of a launch
HANDLE = ".handle"  # suffix of what a kernel's address is in device code
MANAGED_SLOT = ".managed"  # suffix of the pointer to a managed variable's storage
_ABI_ATTRIBUTES = ("zeroext", "signext", "inreg")
_CONSTANT_FLAG, _MANAGED_FLAG = 1, 2
_FUNCTION_TYPE = "{ ptr, i32, i32, %needs }"
_KERNEL_TYPE = (
    "{ ptr, ptr, ptr, ptr, i32, i32, i32, i32, ptr, ptr, [3 x i32], i32, i32, i32, i32, ptr, %needs, ptr, "
    "i32, [2 x [3 x i32]], i64, ptr }"
)
_VARIABLE_TYPE = "{ ptr, ptr, i64, ptr, i32 }"
_NO_BLOCK, _ANY_NUMBER = 1025, -1


def image_text(
    module: Module, kernels: Sequence[tuple[Kernel, CompiledKernel]], variables: Sequence[Variable], image: ImageFacts
) -> str:
    """LLVM text of the tables and the constructor. `module` has what they name, or gets it linked in later."""
    strings = _Strings()
    grid_entries = (image.symbol(facts.grid_entry) for _, facts in kernels if facts.grid_entry)
    entries = dict.fromkeys(grid_entries)  # kernels share some
    parts: list[str] = [module.target_text(), *(f"declare void {entry}(ptr, ptr)" for entry in entries)]
    parts += ["%needs = type { ptr, i32, i32 }", *_declarations(kernels, image)]
    rows = [_kernel_row(number, *each, image, strings, parts) for number, each in enumerate(kernels)]
    variable_rows = [_variable_row(variable, image, strings, parts) for variable in variables]
    function_rows = [
        f"{_FUNCTION_TYPE} {{ ptr {image.symbol(facts.name)}, i32 {int(facts.is_plain)}, i32 {int(facts.looks)}, "
        f"{_needs(f'function.{number}', facts.needs, image, parts)} }}"
        for number, facts in enumerate(image.functions)
    ]
    parts.append(_table("warploom.functions", _FUNCTION_TYPE, function_rows))
    # The runtime fills grid_entry in where it is not certain yet.
    parts.append(_table("warploom.kernels", _KERNEL_TYPE, rows, is_constant=False))
    parts.append(_table("warploom.variables", _VARIABLE_TYPE, variable_rows))
    parts.append(_constructor(strings, image, image.symbol(SHARED_OFFSET), len(rows), len(variable_rows)))
    parts.append(strings.text())
    return "\n".join(parts)


def _kernel_row(
    number: int, kernel: Kernel, facts: CompiledKernel, image: ImageFacts, strings: _Strings, parts: list[str]
) -> str:
    """A kernel's row of the table; what it names goes to `parts`."""
    entry = grid_entry = grid_entry_if = "null"
    if facts.needs.functions:
        grid_entry_if = image.symbol(facts.grid_entry)
    elif facts.grid_entry:
        grid_entry = image.symbol(facts.grid_entry)
    if grid_entry == "null" or facts.limits is not None:
        entry = image.symbol(kernel.name + ENTRY)
        parts.append(f"declare void {entry}(ptr)")
    parts.append(_parameter_table(kernel, number))
    handle = image.symbol(kernel.name + HANDLE)
    parts.append(f"{handle} = external global i8")
    others = "null"
    common = (
        f"ptr @warploom.parameters.{number}, i32 {len(kernel.sizes)}, i32 {facts.static_shared}, "
        f"i32 {facts.local_size}, i32 {kernel.max_threads}, ptr {strings.add(facts.source_name)}, ptr {handle}, "
        f"[3 x i32] [{', '.join(f'i32 {extent}' for extent in kernel.cluster)}], "
        f"i32 {int(facts.may_spin)}, i32 {facts.thread_work}, i32 {facts.float_kinds}, i32 {int(facts.flushes)}"
    )
    work = f"ptr {strings.add(facts.work) if facts.work else 'null'}"
    if facts.limits is not None:
        others = f"@warploom.threads.{number}"
        row = f"ptr {strings.add(kernel.name)}, ptr {entry}, ptr null, {common}"
        no_limits = "i32 0, [2 x [3 x i32]] zeroinitializer, i64 0, ptr null"
        nothing = f"ptr null, %needs zeroinitializer, {work}, {no_limits}"
        parts.append(f"{others} = internal constant {_KERNEL_TYPE} {{ {row}, {nothing} }}")
    return (
        f"{_KERNEL_TYPE} {{ ptr {strings.add(kernel.name)}, ptr {entry}, ptr {grid_entry}, {common}, "
        f"ptr {grid_entry_if}, {_needs(f'kernel.{number}', facts.needs, image, parts)}, {work}, "
        f"{_limits(facts.limits)}, ptr {others} }}"
    )


def _variable_row(variable: Variable, image: ImageFacts, strings: _Strings, parts: list[str]) -> str:
    """A variable's row of the table; what it names goes to `parts`."""
    place = image.symbol(variable.name)
    parts.append(f"{place} = external global i8")
    slot = "null"
    if variable.managed:
        slot = image.symbol(variable.name + MANAGED_SLOT)
        parts.append(f"{slot} = external global ptr")
    flags = _CONSTANT_FLAG * variable.constant + _MANAGED_FLAG * variable.managed
    return (
        f"{_VARIABLE_TYPE} {{ ptr {strings.add(variable.name)}, ptr {place}, "
        f"i64 {variable.size}, ptr {slot}, i32 {flags} }}"
    )


def _declarations(kernels: Sequence[tuple[Kernel, CompiledKernel]], image: ImageFacts) -> list[str]:
    """The device functions that the tables name."""
    needs = [facts.needs for _, facts in kernels] + [facts.needs for facts in image.functions]
    names = {name for each in needs for name in each.functions} | {facts.name for facts in image.functions}
    return [f"declare void {image.symbol(name)}()" for name in sorted(names)]


def _needs(owner: str, needs: Needs, image: ImageFacts, parts: list[str]) -> str:
    """The value of a `%needs`; its table goes to `parts`."""
    if not needs.functions:
        return "%needs zeroinitializer"
    rows = [f"ptr {image.symbol(name)}" for name in needs.functions]
    parts.append(_table(f"warploom.needs.{owner}", "ptr", rows))
    return f"%needs {{ ptr @warploom.needs.{owner}, i32 {len(rows)}, i32 {int(needs.still)} }}"


def _limits(limits: Limits | None) -> str:
    """The values of `warps`, `sizes` and `most`; for a size that there is not one that no block has."""
    sizes = [*(limits.sizes if limits else ()), *[(_NO_BLOCK,) * 3] * MOST_SIZES][:MOST_SIZES]
    rows = [f"[3 x i32] [{', '.join(f'i32 {extent}' for extent in size)}]" for size in sizes]
    most = _ANY_NUMBER if limits is None or limits.most is None else limits.most
    return f"i32 {limits.warps if limits else 0}, [2 x [3 x i32]] [{', '.join(rows)}], i64 {most}"


def entry_text(module: Module, kernel: Kernel, suffix: str) -> str:
    """LLVM text of the function that unpacks the arguments of a kernel that runs thread by thread."""
    called = quoted(kernel.name + suffix)
    function = module.find(kernel.name + suffix)
    lines = [f"define hidden void {quoted(kernel.name + ENTRY + suffix)}(ptr %args) {{"]
    pointers: set[int] = set()
    arguments: list[str] = []
    declared: list[str] = []
    for number, (piece, value) in enumerate(zip(kernel.pieces, module.parameters(function), strict=True)):
        source = piece.parameter
        if source not in pointers:
            pointers.add(source)
            lines.append(f"  %slot{source} = getelementptr ptr, ptr %args, i64 {source}")
            lines.append(f"  %p{source} = load ptr, ptr %slot{source}")
        type_ = module.type_text(module.lib.LLVMTypeOf(value))
        if piece.indirect:
            size, align = kernel.sizes[source], max(16, kernel.alignments[source])
            argument, declaration = _indirect(module, function, number, source, size, align, lines)
        else:
            attributes = "".join(f" {a}" for a in _ABI_ATTRIBUTES if module.has_attribute(function, number + 1, a))
            lines.append(f"  %a{number} = getelementptr i8, ptr %p{source}, i64 {piece.offset}")
            lines += load_parameter(type_, f"%v{number}", f"%a{number}", piece.short)
            argument, declaration = f"{type_}{attributes} %v{number}", f"{type_}{attributes}"
        arguments.append(argument)
        declared.append(declaration)
    lines += [f"  call void {called}({', '.join(arguments)})", "  ret void", "}"]
    lines.append("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    return "\n".join([module.target_text(), f"declare void {called}({', '.join(declared)})", *lines, ""])


def load_parameter(type_: str, value: str, address: str, short: int) -> list[str]:
    """Load one LLVM parameter of a kernel; a bool lies in memory as a byte. `short`: as Piece.short."""
    if short:
        return [
            f"  {value}.whole = alloca {type_}",
            f"  store {type_} zeroinitializer, ptr {value}.whole",
            f"  call void @llvm.memcpy.p0.p0.i64(ptr {value}.whole, ptr {address}, i64 {short}, i1 false)",
            f"  {value} = load {type_}, ptr {value}.whole",
        ]
    if type_ == "i1":
        return [f"  {value}.byte = load i8, ptr {address}", f"  {value} = trunc i8 {value}.byte to i1"]
    return [f"  {value} = load {type_}, ptr {address}, align 1"]


def _indirect(
    module: Module, function: int, number: int, source: int, size: int, align: int, lines: list[str]
) -> tuple[str, str]:
    """A parameter passed in memory. `byval` copies by itself; otherwise each thread gets a copy of its own."""
    byval = module.has_attribute(function, number + 1, "byval")
    if byval:
        asked = module.lib.LLVMGetEnumAttributeValue(module.has_attribute(function, number + 1, "align"))
        copied = module.size_of(module.lib.LLVMGetTypeAttributeValue(byval))
        kind = f"ptr byval([{copied} x i8]) align {asked}"
        return f"{kind} %p{source}", kind
    lines.append(f"  %c{number} = alloca [{size} x i8], align {align}")
    lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr %c{number}, ptr %p{source}, i64 {size}, i1 false)")
    return f"ptr %c{number}", "ptr"


def _parameter_table(kernel: Kernel, number: int) -> str:
    offset, rows = 0, list[str]()
    for size, align in zip(kernel.sizes, kernel.alignments, strict=True):
        offset = (offset + align - 1) // align * align
        rows.append(f"{{ i32, i32 }} {{ i32 {offset}, i32 {size} }}")
        offset += size
    return _table(f"warploom.parameters.{number}", "{ i32, i32 }", rows)


def _table(name: str, type_: str, rows: Sequence[str], *, is_constant: bool = True) -> str:
    kind = "constant" if is_constant else "global"
    return f"@{name} = internal {kind} [{len(rows)} x {type_}] [{', '.join(rows)}]"


def _constructor(strings: _Strings, image: ImageFacts, shared_offset: str, kernels: int, variables: int) -> str:
    image_type = "{ i32, i32, ptr, ptr, ptr, ptr, i32, i32, i64, ptr, i32, i32, ptr, i32 }"
    lines = [
        f"@warploom.image = internal constant {image_type} {{ i32 {IMAGE_VERSION}, i32 {image.arch}, "
        f"ptr {strings.add(image.id)}, ptr {strings.add(image.cpu_features)}, ptr @warploom.kernels, "
        f"ptr @warploom.variables, i32 {kernels}, i32 {variables}, i64 {image.static_shared}, "
        f"ptr {shared_offset}, i32 {image.rank}, i32 {int(image.is_twin)}, ptr @warploom.functions, "
        f"i32 {len(image.functions)} }}",
        # Not llvm.global_ctors: LLVM-C has code generators that still write the old .ctors section, which nothing runs.
        '@warploom.constructor = internal constant ptr @warploom.register, section ".init_array"',
        '@llvm.used = appending global [1 x ptr] [ptr @warploom.constructor], section "llvm.metadata"',
        f"{shared_offset} = external global i64",
        "declare void @__warploom_register_image(ptr)",
    ]
    body = ["  call void @__warploom_register_image(ptr @warploom.image)"]
    if image.separate:
        lines.append("declare void @__warploom_register_offload_entries(ptr, ptr)")
        for section in OFFLOAD_ENTRIES:
            begin, end = (f"@__{bound}_{section}" for bound in ("start", "stop"))
            lines += [f"{bound} = extern_weak hidden global i8" for bound in (begin, end)]
            body.append(f"  call void @__warploom_register_offload_entries(ptr {begin}, ptr {end})")
    return "\n".join([*lines, "define internal void @warploom.register() {", *body, "  ret void", "}"])


class _Strings:
    """C strings of the table, each once."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def add(self, text: str) -> str:
        return self._names.setdefault(text, f"@warploom.string.{len(self._names)}")

    def text(self) -> str:
        lines: list[str] = []
        for text, name in self._names.items():
            data = text.encode() + b"\0"
            escaped = "".join(chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\{b:02X}" for b in data)
            lines.append(f'{name} = private unnamed_addr constant [{len(data)} x i8] c"{escaped}"')
        return "\n".join(lines)
