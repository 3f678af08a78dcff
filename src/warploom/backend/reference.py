# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference engine's code generator: a kernel stays an ordinary function, run once for each thread on a fiber.

The pipeline on one screen: read what the module holds, place shared memory, optimise lightly, name the symbols so that
they meet no host symbol, mark where a spinning thread may be set aside, add the image, emit. The optimising engine
(loom.py) shares all but the middle.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from warploom.backend.access_lines import run_llvm
from warploom.backend.alignment import check_alignment
from warploom.backend.compilation import Compilation, DeviceOptions
from warploom.backend.dot_products import define as define_dot_products
from warploom.backend.finish import finish
from warploom.backend.gpu_division import define as define_divisions
from warploom.backend.lock_step import meet_at, races_behind
from warploom.backend.minima import write_minima
from warploom.backend.prepare import begin, place_shared_memory
from warploom.backend.workers import side_by_side
from warploom.frontend.callees import STEADY
from warploom.llvm.codes import FUNCTION_INDEX
from warploom.llvm.module import Module
from warploom.toolchain import Toolchain


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
    if not work.options.debug:
        # Variables: LLVM's time grows with the square of what a function notes on them. Lines stay, for diagnostics.
        work.module.run_passes("strip-nonlinetable-debuginfo", work.machine)
    run_llvm(work)
    write_minima(work.module, work.machine, is_exact=True)


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
