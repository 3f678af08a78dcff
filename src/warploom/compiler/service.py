# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile CUDA source text, or bitcode of the device pass, to a module that can be loaded: in this process, from any
thread, any number of times.

    Request(source, options, name expressions) --> Module: a library, and what it holds

What was compiled before comes from the cache on disk (cache.py), whose key is all that the result depends on, and whose
entries are whole or absent; the files that a source includes are looked at again each time. Only a source that is not
there is a reason to load the compiler at all. The passes are Python and one LLVM is shared: compilations of one process
take turns behind clang, which runs as a process of its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import cache as once
from pathlib import Path

from warploom import ahead, cache
from warploom.bytecode import together
from warploom.compiler import LAST_MODULE
from warploom.compiler.options import PLAIN, Options
from warploom.compiler.signature import Contents, from_bytes, to_bytes
from warploom.core.fixed_launch import FixedLaunch
from warploom.core.garbage import leave_alone, seldom_collecting
from warploom.core.records import dataclass, field, replace
from warploom.core.turn import Turn
from warploom.core.type_names import TYPE_CHECKING
from warploom.cpu import cpus, default_cpu
from warploom.diagnostics import Diagnostic
from warploom.frontend import cccl
from warploom.scratch import temporary_folder
from warploom.toolchain import COMMAND_LINE, Toolchain, find_toolchain

if TYPE_CHECKING:
    from warploom.frontend.launches import LaunchSizes
    from warploom.frontend.passes import SourceOptions
    from warploom.llvm.module import Module as LlvmModule
    from warploom.passes.runner import PipelineOptions

KIND = "module"
_LIBRARY = "module.so"
_INSTALLED = ("/usr/", f"{sys.prefix}{os.sep}")
# What clang reads by itself, and where the headers of CCCL are.
_ENVIRONMENT = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", cccl.ENVIRONMENT)


class CompileError(Exception):
    """The compiler refused a source; the text is what it said, with the lines of the source."""


@dataclass(frozen=True)
class Request:
    """What to compile: CUDA C++ (str) or bitcode of the device pass (bytes)."""

    source: str | bytes
    options: Options = PLAIN
    name: str = "kernel.cu"  # the source's file in messages; quoted includes are looked for in its folder
    headers: Mapping[str, str] = field(default_factory=dict[str, str])  # more files to include, by name
    name_expressions: tuple[str, ...] = ()  # kernels and variables whose symbols are wanted: `scale<float>`
    fixed: FixedLaunch | None = None  # the only launches that it is for


@dataclass(frozen=True)
class Module:
    """What came of a request: a shared library for cuModuleLoad, and what is in it."""

    library: Path
    contents: Contents


_turn = Turn()  # at the compiler of this process


@once
def default_toolchain() -> Toolchain:
    """The toolchain of this process, looked for once."""
    return find_toolchain()


def compile_module(request: Request, toolchain: Toolchain | None = None) -> Module:
    """The module of `request`, from the cache or compiled now.

    Raises CompileError where the source is wrong, Diagnostic where the request is or where the machine lacks something.
    """
    chosen = toolchain or default_toolchain()
    key = request_key(request, chosen)
    entry = cache.entry_path(KIND, key)
    found = _read(entry)
    if found is None:
        with cache.locked(KIND, key):
            # Another thread or process may have made it meanwhile.
            found = _read(entry) or _compiled(request, chosen, key)
    return found


def _compiled(request: Request, toolchain: Toolchain, key: str) -> Module:
    """The module of `request`, compiled into the cache."""
    made: list[Contents] = []
    ahead.start(str(toolchain.clang), COMMAND_LINE)  # it loads while the compiler does
    with seldom_collecting(), together("compiler", up_to=LAST_MODULE):
        from warploom.llvm.binding import load_meanwhile

        load_meanwhile(toolchain.llvm_library)
        entry = cache.replace_entry(KIND, key, lambda folder: made.append(_fill(folder, request, toolchain, key)))
    return Module(entry / _LIBRARY, made[0])


def find_module(request: Request, toolchain: Toolchain | None = None) -> Module | None:
    """The module of `request` where the cache has it."""
    return _read(cache.entry_path(KIND, request_key(request, toolchain or default_toolchain())))


def request_key(request: Request, toolchain: Toolchain) -> str:
    """All that decides what is made of a request, but for the files that it includes."""
    source = request.source if isinstance(request.source, bytes) else request.source.encode(errors="surrogateescape")
    return cache.content_key(
        cache.package_key(),
        str(toolchain.clang),
        toolchain.version,
        default_cpu(),
        source,
        repr(request.options),
        request.name,
        str(Path.cwd()),
        repr((sorted(request.headers.items()), request.name_expressions)),
        repr(request.fixed),
        *(os.environ.get(name, "") for name in _ENVIRONMENT),
    )


def _read(entry: Path) -> Module | None:
    """What the cache has; None when there is nothing, or what was included has changed."""
    try:
        read = (entry / "read").read_text(errors="surrogateescape").split("\0")[:-1]
        if any(_state_of(path) != state for path, state in zip(read[::2], read[1::2], strict=True)):
            return None
        contents = from_bytes((entry / "contents").read_bytes())
    except (OSError, ValueError):
        return None
    cache.note_use(entry)
    return Module(entry / _LIBRARY, contents)


def _fill(folder: Path, request: Request, toolchain: Toolchain, key: str) -> Contents:
    """Compile a request into the folder of its entry."""
    from warploom.compiler.device import SourceRefused
    from warploom.frontend.cccl import missing_hint

    try:
        with temporary_folder("warploom-module-") as scratch:
            return _compile(folder, scratch, request, toolchain, key)
    except SourceRefused as refused:
        raise CompileError(refused.messages + missing_hint(refused.messages)) from None


def _compile(folder: Path, scratch: Path, request: Request, toolchain: Toolchain, key: str) -> Contents:
    """Compile a request to a library in `folder`; what is in it, and the files that went in, with the keys of their
    content, are written beside it."""
    from warploom.backend import emitter
    from warploom.compiler import device
    from warploom.llvm.module import forgetting_modules

    options = source_options(request, toolchain, key)

    def get_ready() -> None:
        _load_compiler(toolchain)
        emitter.start(toolchain, _level(request.options), options.cpu)
        device.start_linker(toolchain)

    try:
        bitcode, log = _device_pass(scratch, request, toolchain, options, get_ready)
        with _turn.lock, forgetting_modules():
            found, objects = _machine_code(request, toolchain, bitcode, options, key)
        contents = replace(found, log=log)

        def write_contents() -> None:
            ahead.start(str(toolchain.clang), COMMAND_LINE)  # for the next kernel
            read = _files_read(bitcode.with_suffix(".d"), scratch)
            text = "".join(f"{path}\0{state}\0" for path, state in read.items())
            (folder / "read").write_text(text, errors="surrogateescape")
            (folder / "contents").write_bytes(to_bytes(contents))

        device.link_module(toolchain, objects, folder / _LIBRARY, write_contents)
    finally:
        ahead.started()
        emitter.started()
    return contents


def _level(wanted: Options) -> int:
    """LLVM's level of optimisation."""
    from warploom.compiler.device import REFERENCE_LEVEL

    return 0 if wanted.device_debug else 3 if wanted.engine == "loom" else REFERENCE_LEVEL


def _device_pass(
    scratch: Path, request: Request, toolchain: Toolchain, options: SourceOptions, meanwhile: Callable[[], None]
) -> tuple[Path, str]:
    """The bitcode of a request, and what clang warned of; `meanwhile`: what to do while it runs.

    Raises SourceRefused.
    """
    from warploom.compiler import device

    bitcode = scratch / "device.bc"
    if isinstance(request.source, bytes):
        bitcode.write_bytes(request.source)
        meanwhile()
        return bitcode, ""
    source, places = _write_source(request, scratch), request.options.places
    headers = ("-I", str(scratch / "headers"), "-I", str(Path(request.name).parent))
    listed = ("-MD", "-MF", str(bitcode.with_suffix(".d")), "-w" if request.options.quiet else "-Wunused-variable")
    extra = [*places, *headers, *listed]
    return bitcode, device.device_bitcode(toolchain, source, bitcode, options, extra=extra, meanwhile=meanwhile)


def device_module(request: Request, toolchain: Toolchain) -> LlvmModule:
    """The module of a request as it comes from the device pass, for a look at it. Raises CompileError."""
    from warploom.compiler.device import SourceRefused
    from warploom.llvm.module import Module as LlvmModule

    key = request_key(request, toolchain)
    with temporary_folder("warploom-module-") as scratch:
        try:
            bitcode, _ = _device_pass(
                scratch,
                request,
                toolchain,
                source_options(request, toolchain, key),
                lambda: _load_compiler(toolchain),
            )
        except SourceRefused as refused:
            raise CompileError(refused.messages) from None
        return LlvmModule(toolchain.llvm_library, bitcode)


def _load_compiler(toolchain: Toolchain) -> None:
    """Loading the passes takes longer than clang does."""
    if LAST_MODULE in sys.modules:
        return
    from warploom.llvm.binding import load

    with seldom_collecting():
        from warploom.backend import loom
        from warploom.compiler import declarations

        del loom, declarations
        load(toolchain.llvm_library)
        leave_alone()


def _machine_code(
    request: Request, toolchain: Toolchain, bitcode: Path, options: SourceOptions, key: str
) -> tuple[Contents, list[Path]]:
    from warploom.backend.compilation import DeviceOptions
    from warploom.compiler import device
    from warploom.compiler.declarations import read_declarations
    from warploom.cpu import cpus
    from warploom.llvm.module import Module as LlvmModule

    wanted, is_loom = request.options, request.options.engine == "loom"
    contents = _with_names(read_declarations(LlvmModule(toolchain.llvm_library, bitcode)), request)
    if request.fixed is not None:
        contents = replace(contents, kernels=tuple(x for x in contents.kernels if x.name == request.fixed.kernel))
    device_options = DeviceOptions(
        image_id=f"warploom module {key}",
        arch=options.arch * 10,
        cpu_features=cpus(toolchain.target.arch)[options.cpu],
        cpu=options.cpu,
        optimise=_level(wanted),
        by_emitter=True,
        loadable=True,
        fixed=request.fixed,
        flush_denormals=wanted.fast_math if wanted.flush_denormals is None else wanted.flush_denormals,
        debug=wanted.device_debug or wanted.line_info,
        names_threads=wanted.device_debug,
    )
    remarks: list[str] = []
    pipeline = _pipeline(wanted, remarks) if is_loom else None
    sizes = _launch_sizes(request, bitcode.with_name("source.cu"), options)
    objects = device.device_objects(toolchain, bitcode, bitcode.with_suffix(".o"), device_options, pipeline, sizes)
    return replace(contents, remarks=tuple(remarks)), objects


def _launch_sizes(request: Request, source: Path, options: SourceOptions) -> LaunchSizes:
    from warploom.frontend.launches import LaunchSizes, kernel_name, launch_sizes

    if request.fixed is not None:
        name = kernel_name(request.fixed.kernel)
        sizes = LaunchSizes({name: [request.fixed.block]})
        sizes.certain = frozenset((name,))
        return sizes
    return launch_sizes(source, options.preprocessor) if source.exists() else LaunchSizes()


def _pipeline(options: Options, remarks: list[str]) -> PipelineOptions:
    from warploom.passes.base import Purpose
    from warploom.pipeline import for_purpose, library_options, off_names

    pipeline = replace(library_options(), off=off_names(",".join(options.off_passes)), remarks=remarks)
    return for_purpose(pipeline, Purpose.DEBUG) if options.device_debug else pipeline


def source_options(request: Request, toolchain: Toolchain, key: str) -> SourceOptions:
    """How clang reads the source of a request."""
    from warploom.frontend.passes import SourceOptions

    wanted, arch = request.options, toolchain.target.arch
    cpu = wanted.cpu or default_cpu(arch)
    if cpu not in cpus(arch):
        raise Diagnostic(f"the CPU '{cpu}' is unknown", hint="one of " + ", ".join(cpus(arch)))
    return SourceOptions(
        preprocessor=wanted.before_headers,
        standard=wanted.standard,
        arch=wanted.arch,
        cpu=cpu,
        fast_math=wanted.fast_math,
        fused_multiply_add=wanted.fused_multiply_add,
        extended_lambda=wanted.extended_lambda,
        relaxed_constexpr=wanted.relaxed_constexpr,
        separate=wanted.device_launches,
        unique_id=key[:16],
    )


def _write_source(request: Request, scratch: Path) -> Path:
    """The source as a file, with a variable for each name expression, initialised with what that stands for."""
    source, headers = scratch / "source.cu", scratch / "headers"
    assert isinstance(request.source, str)
    from warploom.compiler.declarations import MARKER

    marked = "".join(
        f'extern "C" {{ __device__ auto *{MARKER}{number} =\n#line 1 "name expression"\n{expression}\n; }}\n'
        for number, expression in enumerate(request.name_expressions)
    )
    name = request.name.replace("\\", "\\\\").replace('"', '\\"')
    defines = "".join(f"#define {name} {value}\n" for name, value in request.options.defines)
    text = f'#include <assert.h>\n{defines}#line 1 "{name}"\n{request.source}\n{marked}'
    source.write_text(text, errors="surrogateescape")
    for header, content in request.headers.items():
        path = headers / header
        if not path.resolve().is_relative_to(headers.resolve()):
            raise Diagnostic(f"the header '{header}' has no place below the others")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, errors="surrogateescape")
    return source


def _with_names(declared: Contents, request: Request) -> Contents:
    """The symbols of name expressions by expression instead of number; CompileError for one that names nothing."""
    lowered: dict[str, str] = {}
    known = {each.name for each in (*declared.kernels, *declared.variables)}
    for number, expression in enumerate(request.name_expressions):
        symbol = declared.lowered.get(str(number), "")
        if symbol not in known:
            raise CompileError(
                f'name expression "{expression}" is neither a __global__ function nor the address of a __device__ or '
                "__constant__ variable\n"
            )
        lowered[expression] = symbol
    return replace(declared, lowered=lowered)


def _files_read(dependencies: Path, scratch: Path) -> dict[str, str]:
    """The files that were included, and how they were; those of the package have a key already."""
    from warploom.frontend.dependencies import dependency_names

    if not dependencies.exists():
        return {}
    files = dependency_names(dependencies.read_text())
    made_here = (f"{scratch}{os.sep}", f"{cache.PACKAGE}{os.sep}")
    return {path: _state_of(path) for path in sorted(files) if not path.startswith(made_here)}


def _state_of(path: str) -> str:
    """What changes when a file does: its content; of what is installed, of which there are many, time and size."""
    if not path.startswith(_INSTALLED):
        return cache.file_key(path) or ""
    try:
        found = os.stat(path)  # noqa: PTH116 - of some hundred files, at every start
    except OSError:
        return ""
    return f"{found.st_mtime_ns} {found.st_size}"
