# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cut a module of many kernels into parts, each of which becomes an object of its own.

    @table, @v, k1 ... k172      part 1: k1 ... k5, what they call; @table and @v as they are known, but not defined
    helper, image          ==>   ...
                                 head: @table, @v, the image's rows of all kernels

Sound because kernels share nothing but global variables, and those have one home, the head. A function that kernels of
several parts call has a copy in each: nothing can tell, as long as its address is no value; a module where one is stays
whole. So does one that is compiled separately (-rdc=true), whose functions others may call. Shared variables of kernels
in different parts may lie at the same place: a block runs one kernel.

Where it is cut depends on the module alone, so that the code does not depend on how many processors compile it. The
whole module is put aside on the disk before, and a part reads its own kernels only: else each process would have all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate
from pathlib import Path

from warploom.backend.compilation import Compilation
from warploom.backend.image import SHARED_OFFSET, SUFFIX
from warploom.backend.materialise import Materialiser
from warploom.backend.shared_memory import lower_shared_memory
from warploom.cache import content_key
from warploom.core.type_names import TypeVar
from warploom.frontend.device_module import Kernel
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Linkage, Visibility
from warploom.llvm.module import Module
from warploom.toolchain import Toolchain

T = TypeVar("T")
_LISTS = ("llvm.used", "llvm.compiler.used", "__clang_gpu_used_external")  # of what LLVM is to keep
PART = 8000  # ops of kernels, as imported: four seconds of work
MOST_PARTS = 16  # each starts by reading what it needs of the module: a fifth of a second


def keep_only(module: Module, kernels: Sequence[Kernel], others: Collection[str] = ()) -> None:
    """Let LLVM drop every function that none of `kernels` or `others` needs: most have been inlined everywhere."""
    wanted = {kernel.name for kernel in kernels}.union(others)
    for function in module.functions():
        if module.is_defined(function) and module.name(function) not in wanted:
            module.lib.LLVMSetComdat(function, None)
            module.lib.LLVMSetVisibility(function, Visibility.DEFAULT)
            module.lib.LLVMSetLinkage(function, Linkage.INTERNAL)


def cut(pieces: Sequence[T], weights: Sequence[int], part: int) -> list[list[T]]:
    """`pieces` in order, in lists that weigh about `part` each, or more when there were too many."""
    whole = max(1, sum(weights))
    number = min(max(1, round(whole / part)), MOST_PARTS)
    middles = (end - weight / 2 for end, weight in zip(accumulate(weights), weights, strict=True))
    found: dict[int, list[T]] = {}
    for piece, middle in zip(pieces, middles, strict=True):
        found.setdefault(min(int(middle * number / whole), number - 1), []).append(piece)
    return list(found.values())


def can_be_cut(work: Compilation) -> bool:
    """Whether the kernels of the module can be compiled apart."""
    module = work.module
    if work.options.separate or module.lib.LLVMGetFirstGlobalAlias(module.ref):
        return False
    defined = [function for function in module.functions() if module.is_defined(function)]
    return not any(is_value(module, function) for function in defined)


def is_value(module: Module, function: Handle) -> bool:
    """Whether anything but a direct call uses `function`."""
    lib = module.lib
    for user in module.users(function):
        if lib.LLVMIsACallInst(user):
            if lib.LLVMGetCalledValue(user) != function or function in module.operands(user)[:-1]:
                return True
        elif not _is_listed(module, user):
            return True
    return False


def _is_listed(module: Module, user: Handle) -> bool:
    """Whether `user` is one of LLVM's lists, or a constant for nothing else."""
    if module.lib.LLVMIsAInstruction(user):
        return False
    if module.lib.LLVMIsAGlobalVariable(user):
        return module.name(user) in _LISTS
    return all(_is_listed(module, outer) for outer in module.users(user))


def shared_variables(work: Compilation) -> set[str]:
    """The variables that live in the head. Strings and the like are copied: their addresses mean nothing."""
    lib, module = work.module.lib, work.module
    block_shared = {*work.device.static_shared, *work.device.dynamic_shared}
    found: set[str] = set()
    for variable in module.globals():
        is_string = lib.LLVMGetLinkage(variable) == Linkage.PRIVATE and lib.LLVMIsGlobalConstant(variable)
        name = module.name(variable)
        if module.is_defined(variable) and not is_string and name not in block_shared.union(_LISTS):
            found.add(name)
    return {name for name in found if not name.startswith("llvm.")}


def suffix_of(work: Compilation) -> str:
    """The suffix of symbols: what several objects share no other translation unit may have."""
    return f"{SUFFIX}.{content_key(work.options.image_id, str(work.options.rank))[:16]}"


def put_aside(work: Compilation, across: set[str], bitcode: Path) -> None:
    """Write the module to `bitcode`, where parts are taken from, and give its memory back.

    The variables `across` are defined by the head.
    """
    module, lib = work.module, work.module.lib
    work.across, work.suffix = set(across), suffix_of(work)
    _delete(module, _LISTS)
    for name in across:
        variable = module.find(name)
        lib.LLVMSetComdat(variable, None)
        lib.LLVMSetVisibility(variable, Visibility.DEFAULT)
        lib.LLVMSetLinkage(variable, Linkage.EXTERNAL)
    module.write_bitcode(bitcode)
    module.dispose()


def take(work: Compilation, toolchain: Toolchain, bitcode: Path, kernels: Sequence[Kernel]) -> None:
    """Have the module be `kernels` out of `bitcode`, what they call, and variables."""
    module = work.device.module = Module(toolchain.llvm_library, bitcode, is_lazy=True)
    keep_only(module, kernels)
    module.drop_unneeded()


def become_part(work: Compilation, kernels: Sequence[Kernel]) -> None:
    """Be the part of `kernels`, which have been taken; variables are defined elsewhere."""
    work.device.kernels[:] = kernels
    wanted = {kernel.name for kernel in kernels}
    work.entries = {name: entry for name, entry in work.entries.items() if name in wanted}
    for name in work.across:
        work.module.lib.LLVMSetLinkage(work.module.find(name), Linkage.AVAILABLE_EXTERNALLY)
    work.module.run_passes("globaldce", work.machine)


def end_part(work: Compilation) -> None:
    """What becomes known only when the code is there: the entries, and where shared variables of the image start."""
    module = work.module
    module.lib.LLVMSetLinkage(module.find(SHARED_OFFSET), Linkage.AVAILABLE_EXTERNALLY)
    work.across |= {SHARED_OFFSET, *(entry for name, entry in work.entries.items() if entry != name)}


def become_head(work: Compilation) -> None:
    """Be the variables, which have been taken with no kernel."""
    _delete(work.module, [*work.device.static_shared, *work.device.dynamic_shared])
    work.layout = lower_shared_memory(work.device, {})
    work.across.add(SHARED_OFFSET)


def _delete(module: Module, names: Iterable[str]) -> None:
    materialiser = Materialiser(module)
    for variable in filter(None, map(module.find, names)):
        materialiser.delete(variable)
    materialiser.close()
