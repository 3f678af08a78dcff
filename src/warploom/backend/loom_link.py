# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the LLVM text of kernels is linked into the module that they come from, and what it asks that module."""

from __future__ import annotations

from collections.abc import Iterable

from warploom.backend.compilation import Compilation
from warploom.backend.half_range import keep_half_range
from warploom.backend.loom_text import LoomText
from warploom.backend.thread_by_thread import SUFFIX, ThreadByThread
from warploom.core.records import dataclass
from warploom.frontend.host_library import is_host_function
from warploom.frontend.promises import GIVEN_TO_KERNELS, KEPT_OF_KERNELS
from warploom.frontend.target import vector_bits
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Linkage
from warploom.llvm.module import Module


@dataclass
class Written:
    """Kernels as LLVM text: what a launch of each starts with, by kernel; a missing one could not be lowered."""

    text: LoomText
    entries: dict[str, str]
    by_thread: ThreadByThread


def link_kernels(work: Compilation, written: Written) -> None:
    """Link the text of the kernels in, in place of the functions that they were imported from."""
    module, text = work.module, written.text
    if not written.entries:
        return
    originals = {name: module.find(name) for name in written.entries}
    on_both = work.on_both
    work.entries |= written.entries
    hidden = _publish(module, text.referred)
    code = text.text()
    module.link_text(code, "the optimising engine")
    if "half" in code:  # what a function calls may become a part of it
        names = text.defined if calls_any(module, text.referred) else text.defined_with("half")
        keep_half_range(module, module.by_opcode(map(module.find, names)))
    for symbol, linkage in hidden.items():
        module.lib.LLVMSetLinkage(symbol, linkage)
    moved = written.by_thread.link()
    functions = {name + SUFFIX for name in moved}
    work.without_spin_points |= functions
    work.private |= functions
    for name, original in originals.items():
        module.lib.LLVMSetComdat(original, None)
        if name in on_both:  # the reference engine may have to run it
            work.private.add(name)
        elif name not in moved:
            module.lib.LLVMSetLinkage(original, Linkage.INTERNAL)
    work.private |= set(work.entries.values()) - originals.keys()
    work.without_spin_points |= set(text.defined)
    module.run_passes("globaldce", work.machine)


def calls_any(module: Module, names: Iterable[str]) -> bool:
    """Whether one of `names` is a function that `module` defines."""
    return any(module.lib.LLVMIsAFunction(each) and module.is_defined(each) for each in map(module.find, names))


class ModuleSymbols:
    """What a module knows of its globals, by name."""

    def __init__(self, module: Module) -> None:
        self._module = module

    def is_function(self, name: str) -> bool:
        """Whether `name` is a function."""
        return bool(self._module.lib.LLVMGetNamedFunction(self._module.ref, name.encode()))

    def is_library(self, name: str) -> bool:
        """Whether `name` is a function that LLVM, the C library or the runtime defines."""
        found = self._module.find(name)
        return is_host_function(name) and not (found and self._module.is_defined(found))


def _publish(module: Module, names: set[str]) -> dict[Handle, int]:
    """Make the named symbols visible to the linker; the linkage that each had."""
    hidden: dict[Handle, int] = {}
    for name in sorted(names):
        symbol = module.find(name)
        if symbol and module.is_defined(symbol):
            hidden[symbol] = module.lib.LLVMGetLinkage(symbol)
            module.lib.LLVMSetLinkage(symbol, Linkage.EXTERNAL)
    return hidden


def kernel_attributes(module: Module, function: Handle) -> str:
    """The attributes of emitted functions."""
    found = {name: module.function_attribute(function, name) for name in KEPT_OF_KERNELS}
    words = [f'"{name}"="{text}"' for name, text in found.items() if text is not None]
    # LLVM would split vectors that are wider than what it likes to use by itself.
    width = vector_bits(found["target-features"] or "")
    legal = [f'"{name}"="{width}"' for name in ("min-legal-vector-width", "prefer-vector-width")]
    return " ".join([*GIVEN_TO_KERNELS, *legal, *words])
