# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call of warpcc asks for, whatever way it was spelt."""

from __future__ import annotations

from warploom.core.records import dataclass, field
from warploom.frontend.passes import DEVICE_ARCH

LINK, COMPILE, DEVICE_LINK, PREPROCESS, DEPENDENCIES, LIBRARY = "link", "-c", "-dlink", "-E", "-M", "-lib"
LTO_IR = "-ltoir"
# What a program loads, or links (nvJitLink), while it runs.
MODULES = {"-fatbin": ".fatbin", "-cubin": ".cubin", "-ptx": ".ptx", LTO_IR: ".ltoir"}


@dataclass
class CommandLine:
    """What a call of warpcc asks for."""

    action: str = LINK
    inputs: list[str] = field(default_factory=list[str])
    output: str | None = None
    output_folder: str | None = None
    language: str | None = None  # -x, until changed
    languages: dict[str, str] = field(default_factory=dict[str, str])
    preprocessor: list[str] = field(default_factory=list[str])
    host_flags: list[str] = field(default_factory=list[str])
    linker_flags: list[str] = field(default_factory=list[str])  # in the order of inputs and libraries
    standard: str = "c++17"
    architectures: list[int] = field(default_factory=list[int])
    separate: bool = False
    shared: bool = False
    optimise: str | None = None
    debug: bool = False
    line_info: bool = False
    device_debug: bool = False
    device_optimise: int | None = None  # -Xptxas -O0..2; 3 is what there is without it
    fast_math: bool = False
    fused_multiply_add: bool = True
    flush_denormals: bool | None = None  # -ftz; None: as -use_fast_math says
    extended_lambda: bool = False
    relaxed_constexpr: bool = False
    per_thread_stream: bool = False
    warnings: list[str] = field(default_factory=list[str])
    dependency_flags: list[str] = field(default_factory=list[str])
    dependency_action: str = "-M"
    line_markers: bool = True  # in what -E writes; -P: none
    verbose: bool = False
    dry_run: bool = False
    keep: bool = False
    keep_folder: str | None = None
    cpu: str | None = None
    fat: bool = False  # device code for several CPUs in one object
    target: str | None = None
    sysroot: str | None = None
    engine: str | None = None
    cudart: str = "shared"  # or static: the runtime goes into the program
    compare: bool = False  # code of both engines, for WARPLOOM_COMPARE at run time
    strict: bool = False  # what a GPU would refuse fails: accesses of kernels are checked
    off_passes: list[str] = field(default_factory=list[str])
    width: int | None = None  # threads of a vector
    jam: int | None = None  # rows of threads that go together
    jobs: int | None = None  # processes for one file; None: as many as there are processors
    archiver: str | None = None
    archive_flags: list[str] = field(default_factory=list[str])  # -Xarchive
    host_compiler: str | None = None  # -ccbin
    forward_to_compiler: bool = False  # what is no option of nvcc
    forward_to_linker: bool = False
    optimise_debug: bool = False  # -dopt=on: device code is optimised under -G, too
    syntax_only: bool = False  # of device code
    time_trace: str | None = None  # where clang writes what its device pass spent its time on
    time_file: str | None = None  # where the seconds of each step go; "-": stdout
    resource_usage: bool = False  # -Xptxas -v
    relocatable_link: bool = False
    runs: bool = False  # -run
    run_arguments: list[str] = field(default_factory=list[str])
    clean: bool = False  # remove what the command would write
    lists: list[str] = field(default_factory=list[str])  # --list-gpu-arch, --list-gpu-code
    notes: list[str] = field(default_factory=list[str])  # warnings of the driver itself
    settings_key: bool = False
    version: bool = False
    help: bool = False

    @property
    def flushes(self) -> bool:
        """Whether denormals of float count as zeros: -use_fast_math says so, where -ftz does not say otherwise."""
        return self.fast_math if self.flush_denormals is None else self.flush_denormals

    @property
    def arch(self) -> int:
        """The architecture that device code is compiled for: of several, what a driver would load on this device."""
        if not self.architectures:
            return DEVICE_ARCH
        fitting = [arch for arch in self.architectures if arch <= DEVICE_ARCH]
        return max(fitting) if fitting else min(self.architectures)
