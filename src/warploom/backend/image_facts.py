# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the image of a translation unit says: of itself, and of each kernel in it. backend/image.py writes it down."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from warploom.core.records import dataclass
from warploom.frontend.function_facts import NOTHING, FunctionFacts, Needs

MOST_SIZES = 2  # block sizes that a kernel has code of its own for


@dataclass(frozen=True)
class Usage:
    """What the optimising engine knows of a kernel."""

    barriers: int  # 1 where the kernel has barriers
    kept: int  # bytes a thread across barriers
    width: int  # threads of its widest vectors
    seconds: float  # to make its code


@dataclass(frozen=True)
class Limits:
    """The blocks that a kernel's `grid_entry` is for: those of a kind, and those of some sizes (0: any)."""

    warps: int  # what the warps of a block are like: analysis/warp_groups.py
    sizes: Sequence[tuple[int, ...]]  # at most MOST_SIZES
    most: int | None = None  # threads of a launch with blocks of such a size; None: any number


@dataclass(frozen=True)
class CompiledKernel:
    """A kernel that has been compiled: what its row of the image says."""

    static_shared: int  # bytes it can reach
    local_size: int  # bytes of private memory a thread
    source_name: str  # demangled
    grid_entry: str = ""  # the function that runs a whole launch (the optimising engine); empty: there is none
    may_spin: bool = False  # it, or what it calls, has spin points
    thread_work: int = 0  # ops a thread, see analysis/thread_work.py; 0: not known
    work: str = ""  # what a thread does, see work_text.py; empty: not known
    float_kinds: int = 0  # of a twin: what it computes with, see twins.py
    needs: Needs = NOTHING  # what `grid_entry` takes for granted; else the reference engine's code runs
    flushes: bool = False  # the processor takes denormals for zeros while it runs, see flush_denormals.py
    usage: Usage | None = None  # where it was asked for and the optimising engine runs the kernel
    limits: Limits | None = None  # None: `grid_entry` takes blocks of every size; else the reference engine has others


@dataclass(frozen=True)
class ImageFacts:
    """What the runtime must know of a translation unit."""

    id: str
    arch: int  # __CUDA_ARCH__
    cpu_features: str
    static_shared: int  # bytes, all shared variables together
    separate: bool  # -rdc=true: the host side registers through offload entries
    rank: int  # of several versions for different CPUs: 1, 2, ...; else 0
    symbol_of: Callable[[str], str]  # what a device symbol is called in the object
    is_twin: bool = False  # its kernels are what another image's are compared with: twins.py
    functions: Sequence[FunctionFacts] = ()  # that other translation units may call

    def symbol(self, name: str) -> str:
        """What a device symbol is called in LLVM text of the object."""
        return quoted(self.symbol_of(name))


def quoted(name: str) -> str:
    """`name` as LLVM text writes a global's."""
    return '@"' + name.replace("\\", "\\5C").replace('"', "\\22") + '"'
