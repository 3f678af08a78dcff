# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What symbols of device code are called in an object, and who may see them.

Device symbols get a suffix, so that they meet no host symbol, and what is defined becomes internal. What the image
refers to stays external until its text is linked in.
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.backend.compilation import Compilation
from warploom.backend.demangle import demangled
from warploom.backend.image import (
    ENTRY,
    HANDLE,
    MANAGED_SLOT,
    SHARED_OFFSET,
)
from warploom.diagnostics import Diagnostic
from warploom.frontend.device_module import DeviceModule
from warploom.frontend.host_library import is_host_function
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Linkage, Visibility
from warploom.llvm.module import Module


def published_names(device: DeviceModule, entries: Iterable[str]) -> set[str]:
    """What the image refers to, by name."""
    slots = {variable.name + MANAGED_SLOT for variable in device.variables if variable.managed}
    handles = {kernel.name + HANDLE for kernel in device.kernels}
    return {variable.name for variable in device.variables} | slots | handles | set(entries)


def keep_published(device: DeviceModule) -> set[str]:
    """Make what the image will name external, so that LLVM keeps it; the result names what was internal."""
    module = device.module
    private: set[str] = set()
    for name in published_names(device, (kernel.name for kernel in device.kernels)):
        symbol = module.find(name)
        if module.lib.LLVMGetLinkage(symbol) == Linkage.INTERNAL:
            private.add(name)
            module.lib.LLVMSetLinkage(symbol, Linkage.EXTERNAL)
    return private


def name_symbols(work: Compilation) -> dict[str, int]:
    """Suffix every device symbol and localise what is defined.

    A function that is declared only must come from the C library or the runtime, or (separate compilation) from
    another translation unit. What the image refers to is left external, so that its text links; the result is the
    linkage to give to each such symbol then.
    """
    module, separate = work.module, work.options.separate
    exported = {facts.name for facts in work.functions}.union(*(facts.needs.functions for facts in work.functions))
    needed = work.on_both.union(*(needs.functions for needs in work.needs.values()))
    published = published_names(work.device, work.entries.values()) | {SHARED_OFFSET} | exported | needed
    # Entries of kernels that run thread by thread are written later, under their names.
    threads = [name for name, entry in work.entries.items() if entry == name or name in work.on_both]
    later: dict[str, int] = {name + ENTRY + work.suffix: Linkage.INTERNAL for name in threads}
    for symbol in [*module.functions(), *module.globals()]:
        name = module.name(symbol)
        if name.startswith("llvm."):
            continue
        if name in work.across:
            _make_writable(module, symbol)
            module.lib.LLVMSetVisibility(symbol, Visibility.HIDDEN)
        elif module.is_defined(symbol):
            _make_writable(module, symbol)
            # Of groups with one signature the linker keeps the first: another file's, or the host's without this code.
            module.lib.LLVMSetComdat(symbol, None)
            linkage = Linkage.INTERNAL if name in work.private else _localised(module, symbol, separate)
            module.lib.LLVMSetLinkage(symbol, Linkage.EXTERNAL if name in published else linkage)
            if name in published:
                later[name + work.suffix] = linkage
        elif module.lib.LLVMGetLinkage(symbol) == Linkage.EXTERNAL_WEAK:
            # threadIdx and its like: objects without state, whose address nothing needs.
            module.lib.LLVMReplaceAllUsesWith(symbol, module.lib.LLVMConstNull(module.lib.LLVMTypeOf(symbol)))
            module.lib.LLVMDeleteGlobal(symbol)
            continue
        elif is_host_function(name):
            continue
        elif not separate:
            raise _unresolved(module, symbol)
        _rename(module, symbol, work.symbol(name))
    for alias in module.aliases():
        module.lib.LLVMSetLinkage(alias, _localised(module, alias, separate))
        _rename(module, alias, work.symbol(module.name(alias)))
    return later


def _localised(module: Module, symbol: Handle, separate: bool) -> int:
    """The linkage for a defined symbol: internal, unless other translation units may refer to it."""
    lib = module.lib
    linkage = lib.LLVMGetLinkage(symbol)
    if linkage in (Linkage.INTERNAL, Linkage.PRIVATE):
        return Linkage.INTERNAL
    lib.LLVMSetVisibility(symbol, 0)
    if not separate:
        return Linkage.INTERNAL
    return Linkage.EXTERNAL if linkage == Linkage.EXTERNAL else Linkage.WEAK_ODR


def _make_writable(module: Module, symbol: Handle) -> None:
    """The host writes `__constant__` variables: they must not lie in read-only memory."""
    if module.lib.LLVMIsAGlobalVariable(symbol) and module.lib.LLVMIsExternallyInitialized(symbol):
        module.lib.LLVMSetGlobalConstant(symbol, 0)
        module.lib.LLVMSetExternallyInitialized(symbol, 0)


def set_linkage(module: Module, linkage: dict[str, int]) -> None:
    """Give each named symbol its final linkage."""
    for name, value in linkage.items():
        module.lib.LLVMSetLinkage(module.find(name), value)


def _unresolved(module: Module, symbol: Handle) -> Diagnostic:
    name = module.name(symbol)
    where = None
    for user in module.users(symbol):
        if module.lib.LLVMIsAInstruction(user):
            where = where or module.location(user)
    return Diagnostic(
        f"unresolved device symbol {demangled(name)}",
        file=where.file if where else None,
        line=where.line if where else None,
        hint="compile with -rdc=true when another file defines it",
    )


def _rename(module: Module, symbol: Handle, name: str) -> None:
    data = name.encode()
    module.lib.LLVMSetValueName2(symbol, data, len(data))
