# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What LLVM does before the import: everything inlined, private memory promoted, expressions tidied, loops as written.

    define void @kernel()                        define void @kernel()
      %x = alloca i32                              %s = add i32 %t, 1          ; of helper, inlined
      call void @helper(ptr %x)           ==>      br i1 ..., label %loop      ; still `while`: test on top
      ...

Only passes that keep what the optimiser of threads needs: no loop is rotated, unswitched or unrolled, nothing is
hoisted out of loops or merged from branches, no test is duplicated. No pass here looks at all uses of a global, so
none can conclude that a barrier leaves shared memory alone: a barrier is a call of an unknown function.

Two promises that LLVM would read as one thread's are taken back first. `extern __shared__` arrays all start at one
address, which LLVM would not believe of several globals: their uses are given to one of them. `__restrict__` would let
LLVM conclude that a barrier leaves the memory behind the pointer alone: it becomes a mark that only the importer reads.
"""

from __future__ import annotations

from warploom.frontend.callees import STEADY, UNIFORM, Callees
from warploom.frontend.device_module import DeviceModule
from warploom.frontend.host_library import RUNTIME_PREFIX, is_host_function
from warploom.frontend.inlining import ask_to_inline, call_graph, functions_to_inline
from warploom.frontend.private_arrays import mark_loops
from warploom.ir.dot_products import dot_product
from warploom.llvm.binding import Handle
from warploom.llvm.codes import FUNCTION_INDEX, Linkage, Visibility
from warploom.llvm.module import Module

_SIMPLIFY = (
    "simplifycfg<keep-loops;no-hoist-common-insts;no-sink-common-insts;no-switch-range-to-icmp;no-switch-to-lookup>"
)
_TIDY = f"early-cse<memssa>,instcombine<no-verify-fixpoint>,{_SIMPLIFY}"
_EFFECTS = "cgscc(function-attrs)"  # of what stays a call
BEFORE_INLINING = f"function(sroa<preserve-cfg>,early-cse),{_EFFECTS}"
INLINE = "always-inline,function(sroa<preserve-cfg>)"
# Before tests are joined: then a loop that may end early has no number of iterations any more.
UNROLL = "loop-simplify,lcssa,loop(loop-unroll-full),sroa<preserve-cfg>"
TIDY = (
    f"{_TIDY},sroa<preserve-cfg>,{_TIDY},lower-switch,"
    # What the branches on the way here decided is decided: a `return` in a loop leads out of it on one way only.
    f"early-cse,{_SIMPLIFY},loop-simplify"
)
PIPELINE = f"function({TIDY}),{_EFFECTS}"

_REPLACEABLE = (2, 5)  # LLVMLinkage: link-once and weak definitions, which another file may replace
RESTRICTED = b"warploom.restrict"


def clean(module: Module, machine: Handle, device: DeviceModule) -> None:
    """Run the passes over `module`. Requires shared variables to be globals still, and debug locations."""
    _join_dynamic_shared(device)
    _name_globals(module)
    kernels = {module.find(kernel.name) for kernel in device.kernels}
    for function in module.functions():
        _mark_restricted(module, function)
        if not module.is_defined(function):
            _drop_needless_convergence(module, function)
        elif function not in kernels:
            _make_private(module, function)
    module.run_passes(BEFORE_INLINING, machine)
    _choose_inlining(device, kernels)
    module.run_passes(INLINE, machine)
    _tidy(module, machine)
    module.run_passes(_EFFECTS, machine)
    _forget_steadiness(device, kernels)


def _tidy(module: Module, machine: Handle) -> None:
    """Tidy every function; small private arrays are taken apart before, in functions where that takes copies of loops.

    One function is done with before the copies in the next are made: they are a third of all that is in memory.
    """
    defined = [function for function in module.functions() if module.is_defined(function)]
    marked = mark_loops(module, defined)
    are_marked = set(marked)
    others = [function for function in defined if function not in are_marked]
    for pipeline, chosen, left in ((f"{UNROLL},{TIDY}", marked, others), (TIDY, others, marked)):
        if chosen:
            with module.left_alone(left):
                module.run_passes(f"function({pipeline})", machine)


def _make_private(module: Module, function: Handle) -> None:
    """Give an inline function or template, which every file defines for itself, to this file: LLVM concludes nothing
    about one that the linker may replace, and keeps it when nothing calls it any more."""
    if module.lib.LLVMGetLinkage(function) == Linkage.LINK_ONCE_ODR:
        module.lib.LLVMSetComdat(function, None)
        module.lib.LLVMSetVisibility(function, Visibility.DEFAULT)
        module.lib.LLVMSetLinkage(function, Linkage.INTERNAL)


def _choose_inlining(device: DeviceModule, kernels: set[Handle]) -> None:
    module, callees = device.module, Callees(device, separate=False)
    graph = call_graph(module)
    shared = {function for function in graph.sizes if module.lib.LLVMGetLinkage(function) == Linkage.EXTERNAL}
    roots = kernels | shared if device.separate else kernels

    def has_to(function: Handle) -> bool:
        return bool(callees.obstacle(function))

    called = kernels | {module.find(name) for name in device.called}
    chosen = functions_to_inline(module, graph, called, roots, has_to)
    for function in chosen:
        if module.lib.LLVMGetLinkage(function) not in _REPLACEABLE:
            ask_to_inline(module, function)


def _forget_steadiness(device: DeviceModule, kernels: set[Handle]) -> None:
    """In functions that stay calls, a thread's index is no constant: the loops of the engine run them for thread after
    thread. The declarations say so from here on, and what LLVM concluded from them is taken back."""
    lib, module = device.module.lib, device.module
    kind = module.attribute_kind("memory")
    outside = [function for function in module.functions() if module.is_defined(function) and function not in kernels]
    callees = Callees(device, separate=False)
    for function in [function for function in outside if callees.asks_where(function)]:
        lib.LLVMRemoveEnumAttributeAtIndex(function, FUNCTION_INDEX, kind)
        for call in filter(lib.LLVMIsACallInst, module.instructions(function)):
            callee = lib.LLVMGetCalledValue(call)
            if module.name(callee) in STEADY - UNIFORM:
                lib.LLVMRemoveEnumAttributeAtIndex(callee, FUNCTION_INDEX, kind)
                lib.LLVMRemoveCallSiteEnumAttribute(call, FUNCTION_INDEX, kind)


def _mark_restricted(module: Module, function: Handle) -> None:
    lib = module.lib
    noalias = module.attribute_kind("noalias")
    for index in range(1, lib.LLVMCountParams(function) + 1):
        if lib.LLVMGetEnumAttributeAtIndex(function, index, noalias) and module.is_defined(function):
            lib.LLVMRemoveEnumAttributeAtIndex(function, index, noalias)
            mark = lib.LLVMCreateStringAttribute(module.context, RESTRICTED, len(RESTRICTED), b"", 0)
            lib.LLVMAddAttributeAtIndex(function, index, mark)


def is_restricted(module: Module, function: Handle, index: int) -> bool:
    """Whether parameter `index` (from 1) of a function of a cleaned module is a `__restrict__` pointer."""
    return bool(module.lib.LLVMGetStringAttributeAtIndex(function, index, RESTRICTED, len(RESTRICTED)))


def _drop_needless_convergence(module: Module, function: Handle) -> None:
    """clang marks every function of device code convergent; one of the C library is not, nor is a thread's index."""
    lib, name = module.lib, module.name(function)
    is_library = is_host_function(name) and not name.startswith((RUNTIME_PREFIX, "llvm."))
    if not is_library and name not in STEADY and dot_product(name) is None:
        return
    kind = module.attribute_kind("convergent")
    lib.LLVMRemoveEnumAttributeAtIndex(function, FUNCTION_INDEX, kind)
    for user in module.users(function):
        if lib.LLVMIsACallInst(user) and lib.LLVMGetCalledValue(user) == function:
            lib.LLVMRemoveCallSiteEnumAttribute(user, FUNCTION_INDEX, kind)


def _join_dynamic_shared(device: DeviceModule) -> None:
    lib, module = device.module.lib, device.module
    arrays = [module.find(name) for name in device.dynamic_shared]
    if len(arrays) < 2:
        return
    first, *others = arrays
    lib.LLVMSetAlignment(first, max(lib.LLVMGetAlignment(each) for each in arrays))
    for other in others:
        lib.LLVMReplaceAllUsesWith(other, first)


def _name_globals(module: Module) -> None:
    """The IR names globals: one without a name gets one."""
    for number, variable in enumerate(list(module.globals())):
        if not module.name(variable) and module.lib.LLVMGetLinkage(variable) in (Linkage.INTERNAL, Linkage.PRIVATE):
            data = f"warploom.unnamed.{number}".encode()
            module.lib.LLVMSetValueName2(variable, data, len(data))
