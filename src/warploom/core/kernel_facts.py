# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of a kernel as a whole, beside its code: what its source says, what passes found out, and what the code
has come to rely on. In the IR's text these are the attributes of the function (ir/facts_text.py)."""

from __future__ import annotations

from warploom.core.launch import Dims
from warploom.core.processor import Processor
from warploom.core.records import dataclass, field


@dataclass(frozen=True, slots=True)
class KernelFacts:
    """The facts of one kernel, or of one version of it."""

    # Of the source.
    source_name: str = ""  # without namespaces
    processor: Processor = field(default_factory=Processor)
    width: int | None = None  # threads of a vector, by #pragma warploom
    jam: int | None = None  # rows of threads that go together, likewise
    max_threads: int = 0  # of a block, by __launch_bounds__; 0: not said
    noalias: tuple[int, ...] = ()  # arguments that point to what nothing else points to
    constants: tuple[tuple[int | str, int], ...] = ()  # memory that nothing writes: argument or variable, and its bytes
    reaches_cluster: bool = False  # it asks for shared memory of other blocks
    waits: bool = False  # a loop of it waits for other threads: analysis/spin_waits.py
    phases: bool = False  # it waits for phases of barriers in memory, and for nothing else
    needs: tuple[str, ...] = ()  # functions of other files that have to be plain: frontend/function_facts.py
    needs_still: bool = False  # and that must not look at what other threads write

    # Which launches this version is for.
    wanted_block: Dims | None = None  # the block's size to specialise for, 0: any along that axis
    block: Dims | None = None  # the block's size that it is specialised for, likewise
    any_launch: bool = False  # nothing may be assumed of how many threads there are
    seldom_run: bool = False  # LLVM is to spend no time on it
    launch_limit_x: int | None = None  # it relies on a launch having at most so many threads along x
    launch_limit: int | None = None  # or in all
    warps: int = 0  # the blocks that it is for, as analysis/warp_groups.py numbers them; 0: all

    # What passes leave for those behind them.
    collapses: str = ""  # how the threads of a launch may be cut into other blocks: passes/shape/collapse_grid.py
    narrowed: bool = False  # bounds of thread loops are not the block's size any more: passes/guards/hoist_ranges.py
    persistent_shared: bool = False  # shared memory outlives a block's turn: passes/barrier/split_grid.py
