# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From source files to objects and modules.

    x.cu --device pass--> bitcode --backend--> device.o --.
     `----host pass-----------------------> host.o -------+--ld -r--> x.o --link with libwarploom--> program

The two passes run side by side.
"""

from __future__ import annotations

import subprocess
import sys
from base64 import b64encode
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from warploom.ahead import Tool
from warploom.compiler import device
from warploom.core.garbage import seldom_collecting
from warploom.core.heap import keep_large_blocks_apart
from warploom.core.records import dataclass, replace
from warploom.cpu import FAT_CPUS, cpus
from warploom.driver import preprocessing
from warploom.driver.command_line import LTO_IR
from warploom.driver.driver import OPENMP_HINT, CompilerFailed, Driver
from warploom.driver.producer import name_known_compiler
from warploom.engines import chosen_engine
from warploom.frontend import passes
from warploom.frontend.cccl import missing_hint
from warploom.frontend.launches import LaunchSizes, launch_sizes
from warploom.frontend.missing_template import TemplateKeywords
from warploom.frontend.passes import SourceOptions
from warploom.frontend.precompiled import header_flags
from warploom.scratch import temporary_folder
from warploom.toolchain import Ended, finish, start

if TYPE_CHECKING:
    from warploom.passes.runner import PipelineOptions

# Loaded when device code is compiled, each without what only the other one needs.
ENGINE_MODULES = {"loom": "warploom.backend.loom", "reference": "warploom.backend.reference"}
LARGE_BITCODE = 2 << 20  # bytes: about as many kernels as are compiled in parts


@dataclass(frozen=True)
class _Version:
    """Device code for one CPU on its way; `rank`: which of several, from 1."""

    options: SourceOptions
    bitcode: Path
    object: Path
    rank: int


def compile_file(driver: Driver, source: Path, output: Path) -> None:
    """Compile one source file to an object."""
    language = driver.language_of(source)
    if language == "cuda":
        _compile_cuda(driver, source, output)
    else:
        options = driver.flags.of_source(source, output)
        with driver.times.step(source, f"clang ({language})", [source], output):
            driver.tool(passes.plain_command(driver.toolchain, source, output, options, language))
        if options.debug and not driver.line.dry_run:
            name_known_compiler(driver.toolchain.clang, output)


def _compile_cuda(driver: Driver, source: Path, output: Path) -> None:
    options = driver.flags.of_device_code(source, output)
    with driver.scratch(output) as folder:
        keywords = TemplateKeywords(folder)
        while not _try_cuda(driver, source, output, folder, device.with_keywords(options, keywords), keywords):
            pass


def _try_cuda(
    driver: Driver, source: Path, output: Path, folder: Path, options: SourceOptions, keywords: TemplateKeywords
) -> bool:
    """Compile one CUDA source file; False when clang lacked a keyword that `keywords` can put in."""
    image_id, host_object = folder / "image.id", folder / "host.o"
    versions = _versions(driver, options, folder)
    image_id.write_bytes(f"warploom image {options.unique_id}".encode() + b"\0")
    device_commands = [_device_command(driver, source, each) for each in versions]
    header = headers(driver, options)[1]
    commands = [
        *device_commands,
        passes.host_command(driver.toolchain, source, host_object, image_id, options, header=header),
    ]
    for command in commands:
        driver.show(command)
    if driver.line.dry_run:
        return True
    *device_passes, host_pass = (start(command) for command in commands)
    last, objects = _compile_versions(driver, source, device_passes, versions, image_id)
    with driver.times.step(source, "clang (rest of the host pass)", [source], host_object):
        host = finish(host_pass)
    # Both passes read the same text: say each thing once, from the host pass unless only the device pass fails.
    messages = host.stderr if host.returncode != 0 or last.returncode == 0 else host.stderr + last.stderr
    if host.returncode != 0 or last.returncode != 0:
        if _learns(driver, keywords, messages):
            return False
        hint = OPENMP_HINT if "source-uses-openmp" in host.stderr else ""
        sys.stderr.write(messages + missing_hint(host.stderr) + hint)
        raise CompilerFailed
    sys.stderr.write(messages)
    if options.debug:
        name_known_compiler(driver.toolchain.clang, host_object)
    linker = driver.toolchain.partial_linker()
    # Device parts first: their constructors register the image before the host's names it.
    with driver.times.step(source, "ld -r", [*objects, host_object], output):
        driver.tool([linker, "-r", *map(str, objects), str(host_object), "-o", str(output)])
    preprocessing.add_device_files(options, _listed(versions[0]))
    return True


def _device_command(driver: Driver, source: Path, version: _Version) -> list[str]:
    listing = preprocessing.device_listing(version.options, _listed(version))
    options = replace(version.options, after=(*version.options.after, *listing))
    return passes.device_command(driver.toolchain, source, version.bitcode, options, headers(driver, options)[0])


def _listed(version: _Version) -> Path:
    """Where the device pass lists the files that it reads."""
    return version.bitcode.with_suffix(".d")


def _compile_versions(
    driver: Driver,
    source: Path,
    started: Sequence[subprocess.Popen[str] | Tool],
    versions: Sequence[_Version],
    image_id: Path,
) -> tuple[Ended, list[Path]]:
    """The device's objects, from its passes that have been started; and how the last pass ended that counts."""
    engine = chosen_engine(driver.line.engine, is_debugged=driver.line.device_debug)
    with driver.times.step(source, "clang (device pass)", [source], versions[0].bitcode):
        # While clang runs: loading an engine takes about as long as clang does.
        import_module(ENGINE_MODULES[engine])
        sizes = launch_sizes(source, versions[0].options.preprocessor)
        ended = [finish(device_pass) for device_pass in started]
    last, objects = ended[0], list[Path]()
    for result, each in zip(ended, versions, strict=True):
        last = device.accepted(driver.toolchain, result, source, each.bitcode, each.options, driver.listener)
        if last.returncode != 0:
            break
        with driver.times.step(source, engine, [each.bitcode], each.object):
            objects += compile_bitcode(driver, each.bitcode, each.object, each.options, image_id, sizes, rank=each.rank)
    return last, objects


def _learns(driver: Driver, keywords: TemplateKeywords, messages: str) -> bool:
    """Whether another try may do, with `template` where clang asked for it. Says where it is put in."""
    notes = keywords.learn(messages)
    for note in notes:
        driver.note(note)
    return bool(notes)


def _versions(driver: Driver, options: SourceOptions, folder: Path) -> list[_Version]:
    """What the device code of one source file is compiled for: one CPU, or (--fat) each level of x86-64."""
    if not driver.line.fat:
        return [_Version(options, folder / "device.bc", folder / "device.o", 0)]
    return [
        _Version(replace(options, cpu=cpu), folder / f"device.{cpu}.bc", folder / f"device.{cpu}.o", rank)
        for rank, cpu in enumerate(FAT_CPUS, 1)
    ]


def module(driver: Driver, source: Path, output: Path) -> None:
    """The kernels of one CUDA source file as a library that cuModuleLoad takes; as text when PTX was asked for."""
    if driver.line.action == LTO_IR:
        device_bitcode(driver, source, output)
        return
    options = driver.flags.of_device_code(source, output)
    with driver.scratch(output) as folder:
        bitcode = folder / "device.bc"
        driver.show(passes.device_command(driver.toolchain, source, bitcode, options, headers(driver, options)[0]))
        if driver.line.dry_run:
            return
        device_bitcode(driver, source, bitcode)
        _finish_module(driver, bitcode, output, options, launch_sizes(source, options.preprocessor))


def linked_module(driver: Driver, parts: Sequence[Path], output: Path) -> None:
    """What -ltoir wrote of several sources, optimised as one, as such a library."""
    from warploom.llvm.module import Module

    options = driver.flags.of_device_code(parts[0], output)
    with driver.scratch(output) as folder:
        if driver.line.dry_run:
            return
        linked = Module(driver.toolchain.llvm_library, parts[0])
        for part in parts[1:]:
            linked.link_bitcode(part)
        linked.write_bitcode(folder / "device.bc")
        _finish_module(driver, folder / "device.bc", output, options, LaunchSizes())


def _finish_module(driver: Driver, bitcode: Path, output: Path, options: SourceOptions, sizes: LaunchSizes) -> None:
    """From the bitcode of the device pass to a module."""
    folder = bitcode.parent
    image_id, library = folder / "image.id", folder / "module.so"
    image_id.write_bytes(f"warploom module {options.unique_id}".encode() + b"\0")
    objects = compile_bitcode(driver, bitcode, folder / "device.o", options, image_id, sizes, loadable=True)
    device.link_module(driver.toolchain, objects, library)
    code = library.read_bytes()
    output.write_bytes(module_text(code).encode() if driver.line.action == "-ptx" else code)


def check_device_code(driver: Driver, source: Path) -> None:
    """-fdevice-syntax-only: the device pass, for its messages."""
    with temporary_folder("warpcc-") as folder:
        device_bitcode(driver, source, folder / "device.bc")


def device_bitcode(driver: Driver, source: Path, bitcode: Path) -> None:
    """The device pass of one CUDA source file, and nothing else: for those who look at kernels."""
    options = driver.flags.of_device_code(source, bitcode)
    precompiled = not (driver.line.dry_run or driver.line.keep)
    try:
        device.device_bitcode(
            driver.toolchain, source, bitcode, options, precompiled=precompiled, listener=driver.listener
        )
    except device.SourceRefused as refused:
        sys.stderr.write(refused.messages + missing_hint(refused.messages))
        raise CompilerFailed from None


def headers(driver: Driver, options: SourceOptions) -> tuple[Sequence[str], Sequence[str]]:
    """How the device and the host pass include the CUDA headers."""
    if driver.line.dry_run or driver.line.keep:
        return passes.PLAIN_HEADER, passes.PLAIN_HEADER
    header = device.device_header(driver.toolchain, options)
    # Dependency files name headers, not precompiled ones.
    if options.extra or not device.may_be_precompiled(options):
        return header, passes.PLAIN_HEADER
    return header, header_flags(passes.host_flags(driver.toolchain, options), passes.HEADER)


def compile_bitcode(
    driver: Driver,
    bitcode: Path,
    output: Path,
    options: SourceOptions,
    image_id: Path,
    sizes: LaunchSizes,
    *,
    rank: int = 0,
    loadable: bool = False,
) -> list[Path]:
    """From the bitcode of the device pass to the device's objects: `output`, and with --compare a second one.

    `sizes`: what kernels are launched with. `loadable`: it becomes a module that host code loads.
    """
    from warploom.backend.compilation import DeviceOptions

    line = driver.line
    engine = chosen_engine(line.engine, is_debugged=line.device_debug)
    usual = 3 if engine == "loom" else device.REFERENCE_LEVEL
    asked = usual if line.device_optimise is None else min(line.device_optimise, usual)
    device_options = DeviceOptions(
        image_id=image_id.read_bytes().rstrip(b"\0").decode(),
        arch=options.arch * 10,
        cpu_features=cpus(driver.toolchain.target.arch)[options.cpu],
        cpu=options.cpu,
        optimise=0 if line.device_debug else asked,
        separate=line.separate,
        rank=rank,
        loadable=loadable,
        flush_denormals=line.flushes,
        debug=line.debug or line.device_debug or line.line_info,
        names_threads=line.device_debug or line.strict,
        strict=line.strict,
        keep_text=bitcode.with_suffix(".ll") if line.keep else None,
        has_twin=line.compare and engine != "reference",
        jobs=line.jobs,
        reports_usage=line.resource_usage,
    )
    pipeline = _pipeline(driver) if engine == "loom" else None
    if bitcode.stat().st_size > LARGE_BITCODE:
        keep_large_blocks_apart()
    with seldom_collecting():
        return device.device_objects(driver.toolchain, bitcode, output, device_options, pipeline, sizes)


def _pipeline(driver: Driver) -> PipelineOptions:
    """How the optimising engine lowers kernels: by the environment and the command line."""
    from warploom.passes.base import Purpose
    from warploom.pipeline import for_purpose, off_names, options_from_environment

    line, pipeline = driver.line, options_from_environment()
    pipeline = replace(
        pipeline,
        off=pipeline.off | off_names(",".join(line.off_passes)),
        width=line.width or pipeline.width,
        jam=line.jam or pipeline.jam,
    )
    if line.device_debug:
        return for_purpose(pipeline, Purpose.DEBUG)
    return for_purpose(pipeline, Purpose.CHECKED) if line.strict else pipeline


def module_text(code: bytes) -> str:
    """A module as a string without zero bytes, for programs that treat it as PTX: runtime/api/module_code.cpp."""
    lines = (code[at : at + 72] for at in range(0, len(code), 72))
    return "//\n// Warploom module\n" + "".join(f"//={b64encode(line).decode()}\n" for line in lines)
