# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference engine's code generator: a kernel stays an ordinary function, run once for each thread on a fiber.

The pipeline on one screen: read what the module holds, place shared memory, optimise lightly, name the symbols so that
they meet no host symbol, mark where a spinning thread may be set aside, add the image, emit. The optimising engine
(loom.py) shares all but the middle.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from warploom.backend.alignment import check_alignment
from warploom.backend.dot_products import define as define_dot_products
from warploom.backend.flush_denormals import FLUSHING_ARCHITECTURES, flush_denormals
from warploom.backend.gpu_arithmetic import define_like_gpu
from warploom.backend.gpu_division import define as define_divisions
from warploom.backend.half_range import keep_half_range
from warploom.backend.image import (
    ENTRY,
    HANDLE,
    MANAGED_SLOT,
    SHARED_OFFSET,
    SUFFIX,
    ImageFacts,
    KernelFacts,
    Limits,
    entry_text,
    image_text,
)
from warploom.backend.kernel_handles import give_handles
from warploom.backend.lock_step import asks_for_what_was_stored, meet_at, meet_at_run_time, races_behind
from warploom.backend.managed import bind_managed
from warploom.backend.resource_usage import Usage, report
from warploom.backend.shared_memory import SharedLayout, lower_shared_memory, static_shared_sizes
from warploom.backend.single_rounding import round_once
from warploom.backend.strict_accesses import check_accesses
from warploom.backend.workers import side_by_side
from warploom.diagnostics import Diagnostic
from warploom.frontend.callees import STEADY
from warploom.frontend.device_module import DeviceModule, read_device_module
from warploom.frontend.function_facts import NOTHING, FunctionFacts, Needs
from warploom.frontend.host_library import is_host_function
from warploom.frontend.importer_locations import Locations
from warploom.frontend.promises import take_back
from warploom.frontend.ptx.build import ptx_compiler
from warploom.frontend.ptx.lower import lower_inline_ptx
from warploom.llvm.binding import Handle
from warploom.llvm.module import FUNCTION_INDEX, Linkage, Module, Opcode, Visibility
from warploom.toolchain import Toolchain

STATIC_SHARED_LIMIT = 48 * 1024
SPIN_POINT, PHASE_WAIT = "__warploom_spin_point", "__warploom_phase_wait"
_BLOCKS = ".blocks"  # what names of bodies of parallel loops of the optimising engine have behind the kernel's
_MONOTONIC = 2  # LLVMAtomicOrderingMonotonic: from here on a load is atomic


@dataclass(frozen=True)
class DeviceOptions:
    """How device code of one translation unit is compiled."""

    image_id: str
    arch: int = 800
    cpu_features: str = ""
    cpu: str = "x86-64"  # as clang names it
    optimise: int = 1  # LLVM level, 0..3
    separate: bool = False  # -rdc=true
    rank: int = 0  # of several versions for different CPUs (--fat): 1, 2, ...
    loadable: bool = False  # becomes a module that host code loads
    flush_denormals: bool = False  # -ftz=true
    debug: bool = False  # keep debug information
    names_threads: bool = False  # -G: `loom` runs thread by thread, and a fault names the one
    keep_text: Path | None = None  # write the final LLVM IR here
    has_twin: bool = False  # the kernels are compiled for the other engine as well, to be compared: twins.py
    twin: bool = False  # this is the second compilation
    strict: bool = False  # WARPLOOM_STRICT: every access is checked, strict_accesses.py
    reports_usage: bool = False  # -Xptxas -v
    jobs: int | None = None  # processes at once, for a module of many kernels; None: as many as there are processors


@dataclass
class Compilation:
    """A device module on its way to an object."""

    device: DeviceModule
    machine: Handle
    options: DeviceOptions
    private: set[str]  # symbols that end up internal, whatever they are now
    entries: dict[str, str]  # the function that each kernel starts with: itself, or of the optimising engine
    layout: SharedLayout = field(default_factory=lambda: SharedLayout(0, {}))
    thread_work: dict[str, int] = field(default_factory=dict[str, int])  # by entry, see analysis/thread_work.py
    formulas: dict[str, str] = field(default_factory=dict[str, str])  # by entry, see analysis/work_formulas.py
    flushing: set[str] = field(default_factory=set[str])  # kernels that run in the processor's mode, flush_denormals.py
    without_spin_points: set[str] = field(default_factory=set[str])  # functions that have their own
    across: set[str] = field(default_factory=set[str])  # symbols that several objects of this module share: parts.py
    suffix: str = SUFFIX  # of its symbols
    across_suffix: str = ""  # of those in `across`; empty: the same
    functions: list[FunctionFacts] = field(default_factory=list[FunctionFacts])  # for other translation units
    needs: dict[str, Needs] = field(default_factory=dict[str, Needs])  # of kernels that both engines may run, by name
    limits: dict[str, Limits] = field(default_factory=dict[str, Limits])  # likewise
    usages: dict[str, Usage] = field(default_factory=dict[str, Usage])  # by entry, where they are to be reported

    @property
    def on_both(self) -> set[str]:
        """The kernels that either engine runs, as is found out at run time."""
        return {*self.needs, *self.limits}

    @property
    def module(self) -> Module:
        return self.device.module

    def symbol(self, name: str) -> str:
        """What `name` is called in the object."""
        return name + (self.across_suffix if self.across_suffix and name in self.across else self.suffix)


def compile_device(toolchain: Toolchain, bitcode: Path, output: Path, options: DeviceOptions) -> None:
    """Compile the device module in `bitcode` to the object `output`."""
    work = begin(toolchain, bitcode, options)
    optimise(work)
    finish(work, output)


def meet_where_lanes_hand_on(work: Compilation) -> None:
    """Lanes of a warp meet before each statement by which they hand values on in plain memory."""
    find = partial(races_behind, work.device, work.machine, separate=work.options.separate)
    for races in side_by_side([("what lanes of a warp hand on", find)], 1):
        meet_at(work.module, races, work.module.functions())


def optimise(work: Compilation) -> None:
    """Give shared variables their place, and let LLVM do the little that fibers leave it to do."""
    meet_where_lanes_hand_on(work)
    define_dot_products(work.module)
    define_divisions(work.module)
    place_shared_memory(work)
    check_alignment(work.module)
    ask_where_ahead(work.module)
    work.module.run_passes(f"default<O{work.options.optimise}>", work.machine)


def begin(toolchain: Toolchain, bitcode: Path, options: DeviceOptions) -> Compilation:
    """Read the module, and make it mean what CUDA means by it."""
    module = Module(toolchain.llvm_library, bitcode)
    machine = module.target_machine(toolchain.target, options.optimise)
    device = read_device_module(module, separate=options.separate, loadable=options.loadable)
    lower_inline_ptx(device, ptx_compiler(toolchain, options.cpu), machine)
    check_static_shared(device)
    give_handles(device)
    bind_managed(device)
    mean_what_cuda_means(device, toolchain)
    if options.strict:
        check_accesses(module)
    flushing = set[str]()
    if options.flush_denormals:
        flushing = flush_denormals(device, machine, by_mode=toolchain.target.arch in FLUSHING_ARCHITECTURES)
    entries = {kernel.name: kernel.name for kernel in device.kernels}
    return Compilation(device, machine, options, keep_published(device), entries, flushing=flushing)


def mean_what_cuda_means(device: DeviceModule, toolchain: Toolchain) -> None:
    """Take C++'s promises back and define what it leaves open, before any optimisation."""
    take_back(device)
    define_like_gpu(device.module)
    keep_half_range(device.module, device.module.functions())
    if toolchain.target.arch == "aarch64":
        round_once(device.module)


def place_shared_memory(work: Compilation) -> None:
    """Give shared variables their place."""
    work.layout = lower_shared_memory(work.device, work.entries)
    work.private.add(SHARED_OFFSET)


def ask_where_ahead(module: Module) -> None:
    """Let calls such as `blockDim.x` leave loops: a thread may ask where it is at any time, whoever asks with it."""
    lib = module.lib
    convergent = module.attribute_kind("convergent")
    speculatable = lib.LLVMCreateEnumAttribute(module.context, module.attribute_kind("speculatable"), 0)
    for function in filter(None, map(module.find, sorted(STEADY))):
        lib.LLVMRemoveEnumAttributeAtIndex(function, FUNCTION_INDEX, convergent)
        lib.LLVMAddAttributeAtIndex(function, FUNCTION_INDEX, speculatable)
        for call in filter(lib.LLVMIsACallInst, module.users(function)):
            lib.LLVMRemoveCallSiteEnumAttribute(call, FUNCTION_INDEX, convergent)


def finish(work: Compilation, output: Path) -> None:
    """Name the symbols, add the image, emit. Requires optimised code."""
    linkage = name_symbols(work)
    facts = complete(work)
    add_image(work, facts, work.layout.image_size)
    set_linkage(work.module, linkage)
    emit(work, output)


def complete(work: Compilation) -> dict[str, KernelFacts]:
    """Add what threads that run one by one need; the facts of each kernel, by name. Symbols have their names."""
    module = work.module
    optimised = {name + work.suffix for name in work.without_spin_points}
    meet_at_run_time(module, optimised)
    add_spin_points(module, optimised)
    if work.options.debug:
        Locations(module).show_user_lines()
    else:
        module.strip_debug_info()
    spinning = callers_of(module, [SPIN_POINT, PHASE_WAIT, *_elsewhere(work)])
    bodies = _bodies_by_caller(module)
    facts = {kernel.name: _kernel_facts(work, kernel.name, spinning, bodies) for kernel in work.device.kernels}
    for kernel in work.device.kernels:
        if not facts[kernel.name].grid_entry or kernel.name in work.on_both:
            module.link_text(entry_text(module, kernel, work.suffix), "entry")
    return facts


def add_image(work: Compilation, kernels: Mapping[str, KernelFacts], shared_size: int) -> None:
    """Add the table of the module's kernels, whose facts are known, and of its variables."""
    options, device = work.options, work.device
    features, separate, rank = options.cpu_features, options.separate, options.rank
    facts = ImageFacts(
        options.image_id,
        options.arch,
        features,
        shared_size,
        separate,
        rank,
        work.symbol,
        is_twin=options.twin,
        functions=work.functions,
    )
    rows = [(kernel, kernels[kernel.name]) for kernel in device.kernels]
    if options.reports_usage and not options.twin:
        report(device, kernels, options.arch, options.cpu)
    work.module.link_text(image_text(work.module, rows, device.variables, facts), "image")


def emit(work: Compilation, output: Path) -> None:
    """Check the module and write its object."""
    work.module.verify("the image")
    if work.options.keep_text is not None:
        work.module.write_text(work.options.keep_text)
    work.module.emit_object(work.machine, output)


def check_static_shared(device: DeviceModule) -> None:
    """A kernel may not hold more static shared memory than a block has without asking."""
    for kernel, size in static_shared_sizes(device).items():
        if size > STATIC_SHARED_LIMIT:
            raise Diagnostic(
                f"kernel {demangled(kernel)} uses too much shared memory: {size} bytes, {STATIC_SHARED_LIMIT} at most",
                hint="use `extern __shared__` and raise cudaFuncAttributeMaxDynamicSharedMemorySize",
            )


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


def _localised(module: Module, symbol: Handle, separate: bool) -> Linkage:
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


def add_spin_points(module: Module, without: Collection[str]) -> None:
    """Before each atomic, fence and volatile load: a thread that spins there lets others run.

    Functions named in `without` are left as they are.
    """
    lib = module.lib
    points = [
        instruction
        for function in module.functions()
        if module.name(function) not in without
        for instruction in module.instructions(function)
        if _may_spin(module, instruction) and not asks_for_what_was_stored(module, instruction)
    ]
    if not points:
        return
    void = lib.LLVMFunctionType(lib.LLVMVoidTypeInContext(module.context), None, 0, 0)
    name = SPIN_POINT.encode()
    callee = lib.LLVMGetNamedFunction(module.ref, name) or lib.LLVMAddFunction(module.ref, name, void)
    builder = lib.LLVMCreateBuilderInContext(module.context)
    for point in points:
        lib.LLVMPositionBuilderBefore(builder, point)
        lib.LLVMBuildCall2(builder, void, callee, None, 0, b"")
    lib.LLVMDisposeBuilder(builder)


def _may_spin(module: Module, instruction: Handle) -> bool:
    opcode = module.lib.LLVMGetInstructionOpcode(instruction)
    if opcode in (Opcode.ATOMIC_RMW, Opcode.ATOMIC_CMP_XCHG, Opcode.FENCE):
        return True
    if opcode != Opcode.LOAD:
        return False
    return bool(module.lib.LLVMGetVolatile(instruction)) or module.lib.LLVMGetOrdering(instruction) >= _MONOTONIC


def _elsewhere(work: Compilation) -> list[str]:
    """The device functions of other translation units."""
    module = work.module
    return [
        name
        for name in map(module.name, module.functions())
        if name.endswith(work.suffix) and not module.is_defined(module.find(name))
    ]


def callers_of(module: Module, names: Iterable[str]) -> set[Handle]:
    """Every function that calls one of `names`, or has it called for it: by a function it names."""
    lib, found = module.lib, set[Handle]()
    work = [lib.LLVMGetNamedFunction(module.ref, name.encode()) for name in names]
    while work:
        value = work.pop()
        for user in module.users(value) if value else ():
            is_code = bool(lib.LLVMIsAInstruction(user))
            caller = lib.LLVMGetBasicBlockParent(lib.LLVMGetInstructionParent(user)) if is_code else user
            if caller not in found:
                found.add(caller)
                work.append(caller)
    return found


def _kernel_facts(
    work: Compilation, name: str, spinning: set[Handle], bodies: Mapping[Handle, Sequence[Handle]]
) -> KernelFacts:
    module, entry = work.module, work.entries[name]
    function = module.find(entry + work.suffix)
    threads = module.find(name + work.suffix) if name in work.on_both else function
    local = _frame_size(module, function) if entry == name else _frame_sizes(module, function, bodies)
    return KernelFacts(
        static_shared=work.layout.reached[name],
        local_size=max(local, _frame_size(module, threads)),
        source_name=demangled(name),
        grid_entry=entry if entry != name else "",
        may_spin=function in spinning or threads in spinning,
        thread_work=min(work.thread_work.get(entry, 0), 2**32 - 1),
        work=work.formulas.get(entry, ""),
        needs=work.needs.get(name, NOTHING),
        flushes=name in work.flushing,
        limits=work.limits.get(name),
        usage=work.usages.get(entry),
    )


def _bodies_by_caller(module: Module) -> dict[Handle, list[Handle]]:
    """The bodies of parallel loops that each function hands on."""
    found: dict[Handle, list[Handle]] = {}
    for body in module.functions():
        if _BLOCKS in module.name(body):
            users = [user for user in module.users(body) if module.lib.LLVMIsAInstruction(user)]
            for caller in dict.fromkeys(map(module.function_of, users)):
                found.setdefault(caller, []).append(body)
    return found


def _frame_sizes(module: Module, function: Handle, bodies: Mapping[Handle, Sequence[Handle]]) -> int:
    """Bytes of private memory of `function` and what it hands on: the optimising engine runs the bodies of a kernel's
    parallel loops one at a time, each below its entry, and iterations that take turns below these."""
    below = (_frame_sizes(module, body, bodies) for body in bodies.get(function, ()))
    return _frame_size(module, function) + max(below, default=0)


def _frame_size(module: Module, function: Handle) -> int:
    """Bytes of a function's own private memory."""
    return sum(
        module.size_of(module.lib.LLVMGetAllocatedType(instruction))
        for instruction in module.block_instructions(module.lib.LLVMGetEntryBasicBlock(function))
        if module.lib.LLVMIsAAllocaInst(instruction)
    )


def demangled(name: str) -> str:
    """A C++ name as its author wrote it."""
    if not name.startswith("_Z"):
        return name
    library = ctypes.CDLL("libstdc++.so.6")
    library.__cxa_demangle.restype = ctypes.c_void_p
    status = ctypes.c_int()
    text = library.__cxa_demangle(re.sub(r"\.device$", "", name).encode(), None, None, ctypes.byref(status))
    return ctypes.string_at(text).decode() if text else name
