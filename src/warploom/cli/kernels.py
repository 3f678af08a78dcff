# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the command line of `warploom ir` and `explain` to the kernels of a CUDA file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from warploom.backend.demangle import demangled
from warploom.backend.lock_step import meet_where_known
from warploom.backend.prepare import mean_what_cuda_means
from warploom.core.launch import Dims, is_block_size
from warploom.core.records import dataclass, field, replace
from warploom.cpu import default_cpu
from warploom.debug import MOST_JAM, MOST_WIDTH, Debug, power_of_two
from warploom.diagnostics import Diagnostic
from warploom.driver.driver import Driver
from warploom.driver.nvcc_options import parse, takes_next
from warploom.driver.sources import device_bitcode
from warploom.frontend.cleanup import clean
from warploom.frontend.device_module import read_device_module
from warploom.frontend.importer import import_kernel
from warploom.frontend.launches import LaunchSizes, kernel_name, launch_sizes
from warploom.frontend.ptx.build import ptx_compiler
from warploom.frontend.ptx.lower import lower_inline_ptx
from warploom.ir.core import Function
from warploom.llvm.module import Module
from warploom.passes.runner import PipelineOptions
from warploom.pipeline import off_names
from warploom.scratch import temporary_folder
from warploom.target import parse_target
from warploom.toolchain import Toolchain, find_toolchain

USAGE_ERROR = 2


@dataclass
class Words:
    """A command line: the command's own options, the file, and flags for the compiler."""

    file: str = ""
    own: dict[str, str] = field(default_factory=dict[str, str])
    flags: list[str] = field(default_factory=list[str])


def split_words(argv: Sequence[str], with_value: Sequence[str], plain: Sequence[str]) -> Words:
    """Take `argv` apart; `with_value` and `plain` are the command's own options, all else goes to the compiler."""
    found = Words()
    words = iter(argv)
    for word in words:
        name, equals, value = word.partition("=")
        if name in with_value:
            found.own[name] = value if equals else _next(word, words)
        elif word in plain:
            found.own[word] = ""
        elif word.startswith("-"):
            found.flags.append(word)
            if takes_next(word):
                found.flags.append(_next(word, words))
        elif found.file:
            raise Diagnostic(f"one file at a time: {found.file} or {word}?", exit_code=USAGE_ERROR)
        else:
            found.file = word
    if not found.file:
        raise Diagnostic("no file", hint="a CUDA source file is wanted", exit_code=USAGE_ERROR)
    if not Path(found.file).is_file():
        raise Diagnostic("no such file", file=found.file)
    return found


# The options of a command that lowers kernels, as warpcc has them.
PIPELINE_OPTIONS = ("--off-pass", "--width", "--jam")


def asked_for(words: Words, options: PipelineOptions) -> PipelineOptions:
    """`options`, with what PIPELINE_OPTIONS of the command line say; and no mercy with passes that break."""
    width, jam = words.own.get("--width"), words.own.get("--jam")
    return replace(
        options,
        off=options.off | off_names(words.own.get("--off-pass", "")),
        width=power_of_two("--width", width, MOST_WIDTH) if width is not None else options.width,
        jam=power_of_two("--jam", jam, MOST_JAM) if jam is not None else options.jam,
        debug=max(options.debug, Debug.FALLBACKS),
        keep_going=False,
    )


def _next(word: str, words: Iterator[str]) -> str:
    value = next(words, None)
    if value is None:
        raise Diagnostic(f"'{word}' wants a value", exit_code=USAGE_ERROR)
    return value


@dataclass(frozen=True)
class KernelName:
    """The three names that a kernel goes by."""

    mangled: str
    full: str  # as the author wrote it, with parameter types
    plain: str  # without namespaces, template arguments and parameters

    @staticmethod
    def of(mangled: str) -> KernelName:
        """The names of a symbol."""
        full = demangled(mangled)
        return KernelName(mangled, full, plain_name(full))


def plain_name(full: str) -> str:
    """`void (anonymous namespace)::scan<int, 4>(int*, int)` is `scan`."""
    text = full.replace("(anonymous namespace)::", "")
    while "<" in text:
        shorter = re.sub(r"<[^<>]*>", "", text)
        if shorter == text:
            break
        text = shorter
    return text.partition("(")[0].split("::")[-1].split()[-1]


def select(names: Sequence[KernelName], wanted: str | None, file: str) -> list[KernelName]:
    """The kernels that go by `wanted`, or all; a Diagnostic that lists the kernels when there is none."""
    if not names:
        raise Diagnostic("no kernels", file=file, hint="only __global__ functions, instances of templates included")
    found = [name for name in names if wanted in (None, name.mangled, name.full, name.plain)]
    if not found:
        kernels = "".join(f"\n    {name.full}" for name in names)
        raise Diagnostic(f"no kernel is called '{wanted}'", file=file, hint=f"kernels:{kernels}", exit_code=USAGE_ERROR)
    return found


@dataclass(frozen=True)
class SourceKernel:
    """A kernel of a source file; `load` imports it (raises Unsupported)."""

    name: KernelName
    load: Callable[[], Function]
    launched: Sequence[Dims] = ()  # block sizes that the program is seen to launch it with
    is_certain: bool = False  # no launch of another size is to be seen

    def load_for(self, block: Dims | None) -> Function:
        """The kernel to be lowered for one block size (raises Unsupported)."""
        function = self.load()
        if block is not None:
            function.facts = replace(function.facts, wanted_block=block)
        return function


def block_size(text: str) -> Dims:
    """`16,16` is (16, 16, 1); a Diagnostic for what is no block size."""
    numbers = [int(word) if word.strip().isdecimal() else 0 for word in text.split(",")]
    x, y, z, *more = [*numbers, *[1] * (3 - len(numbers))]
    if more or min(x, y, z) < 1 or not is_block_size((x, y, z)):
        raise Diagnostic(f"'{text}' is no block size", hint="X, X,Y or X,Y,Z: 16,16", exit_code=USAGE_ERROR)
    return x, y, z


def source_kernels(words: Words, wanted: str | None) -> list[SourceKernel]:
    """Compile the file to bitcode, clean it up, and find the kernels that go by `wanted` (None: all)."""
    line = parse([*words.flags, words.file])
    toolchain = find_toolchain(parse_target(line.target, line.sysroot))
    driver = Driver(toolchain, line)
    if driver.language_of(Path(words.file)) != "cuda":
        raise Diagnostic("not a CUDA source file", file=words.file, hint="-x cu makes it one", exit_code=USAGE_ERROR)
    with temporary_folder("warploom-ir-") as folder:
        bitcode = Path(folder, "device.bc")
        device_bitcode(driver, Path(words.file), bitcode)
        module = Module(toolchain.llvm_library, bitcode)
    launched = launch_sizes(Path(words.file), driver.line.preprocessor)
    return module_kernels(module, toolchain, driver.line.cpu, launched, wanted, words.file, driver.line.separate)


def module_kernels(
    module: Module,
    toolchain: Toolchain,
    cpu: str | None,
    launched: LaunchSizes,
    wanted: str | None,
    file: str,
    separate: bool = False,
) -> list[SourceKernel]:
    """The kernels of a module, fresh from the device pass, that go by `wanted` (None: all); it is cleaned up.

    `cpu`: none for this machine's. `launched`: block sizes that are to be seen in the source, which is `file`.
    """
    device = read_device_module(module, separate=separate)
    machine = module.target_machine(toolchain.target, 1)
    lower_inline_ptx(device, ptx_compiler(toolchain, cpu or default_cpu()), machine)
    mean_what_cuda_means(device, toolchain)
    kernels = {kernel.name: kernel for kernel in device.kernels}
    chosen = select([KernelName.of(name) for name in kernels], wanted, file)
    clean(module, machine, device)
    meet_where_known(device)
    found: list[SourceKernel] = []
    for name in chosen:
        kernel = kernels[name.mangled]
        sizes, is_certain = launched.of(kernel_name(kernel.name), kernel.max_threads)
        importing = partial(import_kernel, device, kernel, separate=separate)
        found.append(SourceKernel(name, importing, sizes, not separate and is_certain))
    return found
