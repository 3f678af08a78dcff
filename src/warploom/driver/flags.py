# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From nvcc's command line to what clang is told of a source file."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from warploom.cache import content_key
from warploom.core.records import dataclass, replace
from warploom.cpu import default_cpu
from warploom.driver.command_line import COMPILE, CommandLine
from warploom.frontend import mpi_wrapper, passes
from warploom.frontend.host_flags import without_foreign
from warploom.frontend.passes import SourceOptions
from warploom.runtime_library import is_headers
from warploom.toolchain import Toolchain

_FOLDERS = ("-I", "-isystem", "-idirafter")


@dataclass(frozen=True)
class Flags:
    """What clang is told in one call of the compiler driver; `note` gets the warnings about it."""

    toolchain: Toolchain
    line: CommandLine
    note: Callable[[str], None]

    def of_source(self, source: Path, output: Path) -> SourceOptions:
        """The options of one source file."""
        line = self.line
        optimise = line.optimise or ("-O0" if line.debug or line.device_debug else "-O2")
        return SourceOptions(
            preprocessor=tuple(self._preprocessor()),
            standard=line.standard,
            arch=line.arch,
            cpu=line.cpu or default_cpu(self.toolchain.target.arch),
            separate=line.separate,
            fast_math=line.fast_math,
            fused_multiply_add=line.fused_multiply_add,
            extended_lambda=line.extended_lambda,
            relaxed_constexpr=line.relaxed_constexpr,
            per_thread_stream=line.per_thread_stream,
            warnings=tuple(line.warnings),
            optimise=optimise,
            time_trace=line.time_trace,
            debug=passes.DEBUG if line.debug or line.device_debug else passes.LINES_ONLY if line.line_info else (),
            host_flags=tuple(self.host()),
            unique_id=content_key(str(source.resolve()), str(output.resolve()), repr(line.preprocessor))[:16],
            extra=tuple(self._dependencies(source, output)),
        )

    def of_device_code(self, source: Path, output: Path) -> SourceOptions:
        """The options of one source file with kernels. `-Xcompiler -Werror` is about warnings of g++, which never sees
        what runs on the device: clang reads it in the host pass, too, and finds what neither nvcc nor g++ would."""
        options = self.of_source(source, output)
        if "-Werror" in options.host_flags:
            self.note("'-Xcompiler -Werror' is left out for CUDA files: clang warns of other things than g++ does")
        return replace(options, host_flags=tuple(flag for flag in options.host_flags if flag != "-Werror"))

    def _dependencies(self, source: Path, output: Path) -> list[str]:
        """-MD and its like, with the names that nvcc gives to target and file."""
        flags = list(self.line.dependency_flags)
        made = Path(self.line.output or (output if self.line.action == COMPILE else f"{source.stem}.o"))
        if flags and not {"-MT", "-MQ"} & set(flags):
            flags += ["-MT", str(made)]
        if {"-MD", "-MMD"} & set(flags) and "-MF" not in flags:
            flags += ["-MF", str(made.with_suffix(".d"))]
        return flags

    @cached_property
    def host_compiler(self) -> tuple[list[str], list[str]]:
        """What -ccbin adds, for compiling and for linking."""
        named = self.line.host_compiler
        if named is None:
            return [], []
        found = mpi_wrapper.flags_of(named)
        if found == ([], []) and not mpi_wrapper.is_ordinary(named):
            self.note(f"'-ccbin {named}' is left out: clang compiles the host's code here, without what {named} adds")
        return found

    def _preprocessor(self) -> list[str]:
        """-I, -D and their like, less the folder of the CUDA headers, which has its place behind CCCL's."""
        words = iter(self.line.preprocessor)
        pairs = [(flag, next(words)) for flag in words]
        kept = [(flag, value) for flag, value in pairs if flag not in _FOLDERS or not is_headers(Path(value))]
        return [word for pair in kept for word in pair] + self.host_compiler[0]

    @cached_property
    def _own_host_flags(self) -> list[str]:
        flags, foreign = without_foreign(self.toolchain, self.line.host_flags)
        for flag in foreign:
            self.note(f"'{flag}' is left out: clang, which compiles the host's code here, has no such flag")
        return flags

    def host(self) -> list[str]:
        """-Xcompiler flags, less those that this clang cannot honour."""
        # Without a runtime library what only calls omp_* functions works; a parallel loop would silently be serial.
        openmp = self.toolchain.openmp_flags or ("-Werror=source-uses-openmp",)
        return [each for flag in self._own_host_flags for each in (openmp if flag == "-fopenmp" else (flag,))]
