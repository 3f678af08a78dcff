# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From CUDA source text to machine code of its kernels, without a command line and without the process's environment.

    x.cu --device pass of clang--> bitcode --engine--> device.o [, twin.o] --linker--> module.so

What a caller wants to hear of (a command before it runs, a warning) goes to functions that it hands over. `warpcc`
stands on this file, and so does the compile service (service.py). One LLVM module belongs to one thread at a time; the
modules of different calls have nothing in common.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from warploom import ahead
from warploom.bytecode import together
from warploom.compiler import LAST_MODULE
from warploom.core.records import dataclass, replace
from warploom.core.type_names import TYPE_CHECKING
from warploom.diagnostics import Diagnostic
from warploom.frontend import passes
from warploom.frontend.launches import LaunchSizes
from warploom.frontend.missing_template import TemplateKeywords
from warploom.frontend.passes import SourceOptions
from warploom.frontend.precompiled import header_flags
from warploom.frontend.ptx import dialect
from warploom.runtime_library import link_flags
from warploom.toolchain import Ended, Toolchain, finish, run_tool, start

if TYPE_CHECKING:
    from warploom.backend.compilation import DeviceOptions
    from warploom.passes.runner import PipelineOptions

_SCRIPT = "/dev/stdin"  # a linker's script: what to link and to what
REFERENCE_LEVEL = 1  # of LLVM's optimisation: fibers leave it little to do


class SourceRefused(Exception):
    """clang refused the source; `messages` is what it said."""

    def __init__(self, messages: str) -> None:
        super().__init__(messages)
        self.messages = messages


def _nothing() -> None:
    """There is nothing to do meanwhile."""


def _ignore(_words: Sequence[str]) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class Listener:
    """Who hears of a compilation: of each command before it runs, and of each warning of ours."""

    show: Callable[[Sequence[str]], None] = _ignore
    note: Callable[[str], None] = _ignore  # of one line


SILENT = Listener()


def may_be_precompiled(options: SourceOptions) -> bool:
    """Whether the CUDA headers may be read precompiled.

    A header of the user's may have to come first; the id of separate compilation differs from file to file; an overlay
    would have a precompiled header of its own.
    """
    return not options.separate and not {"-include", "-ivfsoverlay"} & set(options.preprocessor)


def device_header(toolchain: Toolchain, options: SourceOptions) -> Sequence[str]:
    """How the device pass includes the CUDA headers: precompiled where that can be."""
    if not may_be_precompiled(options):
        return passes.PLAIN_HEADER
    return header_flags(passes.device_flags(toolchain, options), passes.HEADER)


def with_keywords(options: SourceOptions, keywords: TemplateKeywords) -> SourceOptions:
    """`options` for a source with `template` put in where clang asked for it."""
    return replace(options, preprocessor=(*options.preprocessor, *keywords.flags()))


def device_bitcode(
    toolchain: Toolchain,
    source: Path,
    bitcode: Path,
    plain: SourceOptions,
    *,
    precompiled: bool = True,
    extra: Sequence[str] = (),
    meanwhile: Callable[[], object] = _nothing,
    listener: Listener = SILENT,
) -> str:
    """The device pass of one CUDA source file; what clang warned of. Raises SourceRefused.

    `extra`: more flags, which the CUDA headers, read before, do not depend on. `meanwhile`: what to do while clang
    runs.
    """
    plain = replace(plain, after=tuple(extra))
    keywords = TemplateKeywords(bitcode.parent)
    while True:
        options = with_keywords(plain, keywords)
        header = device_header(toolchain, options) if precompiled else passes.PLAIN_HEADER
        started = start(passes.device_command(toolchain, source, bitcode, options, header))
        meanwhile()
        first = finish(started)
        device = accepted(toolchain, first, source, bitcode, options, listener)
        if device.returncode == 0:
            return device.stderr
        notes = keywords.learn(device.stderr)
        for note in notes:
            listener.note(note)
        if not notes:
            raise SourceRefused(device.stderr)


def accepted(
    toolchain: Toolchain,
    device: Ended,
    source: Path,
    bitcode: Path,
    options: SourceOptions,
    listener: Listener = SILENT,
) -> Ended:
    """The device pass that has ended, or, where clang refused how PTX was written, one over text it takes."""
    if device.returncode == 0 or not dialect.is_refusal(device.stderr):
        return device
    text = bitcode.with_suffix(".cup")
    preprocess, compile_text = passes.device_text_commands(toolchain, source, text, bitcode, options)
    listener.show(preprocess)
    result = run_tool(preprocess)
    if result.returncode != 0:
        return result
    text.write_text(dialect.translated(text.read_text(errors="surrogateescape")), errors="surrogateescape")
    listener.show(compile_text)
    return run_tool(compile_text)


def device_objects(
    toolchain: Toolchain,
    bitcode: Path,
    output: Path,
    options: DeviceOptions,
    pipeline: PipelineOptions | None,
    sizes: LaunchSizes,
) -> list[Path]:
    """From the bitcode of the device pass to its objects: `output`, and with `options.has_twin` a second one.

    `pipeline`: how the optimising engine lowers kernels; None: the reference engine runs them. `sizes`: what kernels
    are launched with. Raises Diagnostic.
    """
    if pipeline is None:
        from warploom.backend import reference

        reference.compile_device(toolchain, bitcode, output, options)
        return [output]
    with together("passes", up_to=LAST_MODULE):
        from warploom.backend import loom

    loom.compile_device(toolchain, bitcode, output, options, pipeline, sizes)
    return [output, _twin(toolchain, bitcode, output, options)] if options.has_twin else [output]


def _twin(toolchain: Toolchain, bitcode: Path, output: Path, options: DeviceOptions) -> Path:
    """The reference engine's object of kernels that were compiled to `output`, for the two to be compared."""
    from warploom.backend.twins import compile_twin

    made = output.with_suffix(".twin.o")
    text = bitcode.with_suffix(".twin.ll") if options.keep_text else None
    optimise = min(options.optimise, REFERENCE_LEVEL)
    twin = replace(options, twin=True, has_twin=False, optimise=optimise, keep_text=text)
    compile_twin(toolchain, bitcode, made, twin)
    return made


def link_module(
    toolchain: Toolchain, objects: Sequence[Path], library: Path, meanwhile: Callable[[], object] = _nothing
) -> None:
    """Link device objects to a library that cuModuleLoad takes; a Diagnostic when that does not work.

    `meanwhile`: what to do while the linker runs.

    Kernels seldom need more than the runtime and the C library: the linker itself links those, in a third of the time
    that clang's driver takes. What needs more (128-bit division, virtual functions) is an undefined symbol then, and
    the driver links it.
    """
    if toolchain.target.is_host and _links_quickly(toolchain, objects, library, meanwhile):
        return
    if not toolchain.target.is_host:
        meanwhile()
    flags = ["-shared", "-Wl,-Bsymbolic", "-o", str(library)]
    result = run_tool([toolchain.clang, *toolchain.link_flags, *objects, *flags, *link_flags(toolchain), "-lm"])
    if result.returncode != 0:
        raise Diagnostic(f"the kernels do not link:\n{result.stderr}", hint="please report it")


def _links_quickly(
    toolchain: Toolchain, objects: Sequence[Path], library: Path, meanwhile: Callable[[], object]
) -> bool:
    """Whether the linker itself can link what it is given, which it cannot when a symbol is undefined."""
    script = f"INPUT({ahead.quoted(map(str, objects))}) OUTPUT({ahead.quoted([str(library)])})"
    waiting = ahead.taken(_quick_link(toolchain, [_SCRIPT]), script)
    meanwhile()
    return (finish(waiting) if waiting else run_tool(_quick_link(toolchain, [*objects, "-o", library]))).returncode == 0


def start_linker(toolchain: Toolchain) -> None:
    """Have a linker wait for the module that is being compiled."""
    if toolchain.lld is not None and toolchain.target.is_host:
        ahead.start(*_quick_link(toolchain, [_SCRIPT]))


def _quick_link(toolchain: Toolchain, given: Sequence[str | Path]) -> list[str]:
    """The linker's own command line."""
    words = (word.split(",", 2) for word in link_flags(toolchain))
    own = [f"{first[1]}={first[2]}" if first[0] == "-Wl" else ",".join(first) for first in words]
    folders = [f"-L{folder}" for folder in toolchain.library_folders if folder.is_dir()]
    threads = ["--threads=1"] if toolchain.lld is not None else []  # starting them takes longer than the work
    return [
        toolchain.partial_linker(), *threads, "-shared", "-Bsymbolic", "-z", "defs", "--eh-frame-hdr",
        *map(str, given), *own, *folders, "-l:libm.so.6", "-l:libc.so.6",
    ]  # fmt: skip
