# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warpcc`: nvcc's command line over clang and Warploom."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from warploom.cli.serve import PREFIX, serve
from warploom.cli.status import status_of
from warploom.cpu import FAT_CPUS, cpus
from warploom.diagnostics import Diagnostic
from warploom.driver import linking, preprocessing, sources
from warploom.driver.command_line import (
    COMPILE,
    DEPENDENCIES,
    DEVICE_LINK,
    LIBRARY,
    LINK,
    LTO_IR,
    MODULES,
    PREPROCESS,
    CommandLine,
)
from warploom.driver.driver import LANGUAGES, CompilerFailed, Driver
from warploom.driver.nvcc_options import parse
from warploom.driver.settings import settings_key
from warploom.engines import compare_is_wanted, strict_is_wanted
from warploom.frontend.passes import CUDA_VERSION
from warploom.scratch import temporary_folder
from warploom.target import parse_target
from warploom.toolchain import find_toolchain
from warploom.version import VERSION

ARCHITECTURES = (75, 80, 86, 87, 88, 89, 90, 100, 110, 103, 120, 121)

HELP = """usage: warpcc [options] FILE...

Compiles CUDA C++ for the CPU; takes the command line of nvcc.

  -c, -dc               compile to objects (-dc: device code may refer to other files)
  -o FILE, -odir DIR    where to write
  -shared, -lib         a shared or static library
  -fatbin, -cubin, -ptx a module of kernels, which a program loads by cuModuleLoad
  -E, -M, -MM, -MD ...  preprocess, dependencies
  -I -D -U -L -l -O -g -G -lineinfo -std= -x -Xcompiler -Xlinker -w -v --dryrun -keep
  -arch, -gencode       set __CUDA_ARCH__
  -rdc=true, -dlink     separate compilation of device code
  --cpu, -march NAME    what device code is compiled for: native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4,
                        x86-64-v3+avxvnni, x86-64-v4+avx512vnni, x86-64-v4+avx512vnni+avx512bf16
  --fat                 device code for x86-64-v2, -v3 and -v4 in one object: the CPU at hand decides at start-up
  --target TRIPLE       another machine: aarch64-linux-gnu, riscv64-linux-gnu (--cpu: armv8-a, armv8.1-a; rv64gc,
                        rv64gcv); --sysroot DIR: where its C library is
  --engine NAME         what runs the kernels: loom, reference (or WARPLOOM_ENGINE)
  --compare             code of both engines, which WARPLOOM_COMPARE=1 compares when the program runs (or
                        WARPLOOM_COMPARE=1 while it is compiled)
  --strict              what a GPU would refuse fails here, too: accesses of kernels are checked, and the host's when
                        the program runs under WARPLOOM_STRICT=1 (which does the same while it is compiled)
  --off-pass NAME,...   passes of the engine loom to leave out (or WARPLOOM_OFF_PASS)
  --width N, --jam N    threads of a vector, rows of threads that go together, for all kernels (or WARPLOOM_WIDTH,
                        WARPLOOM_JAM; for one kernel: #pragma warploom width(N) jam(N) before it)
  --settings-key        print a key of all that objects depend on beside the command line and the files, for ccache

NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS in the environment hold options to put before and after these.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run warpcc; 0, or 1 after a message on stderr."""
    if argv is None and len(sys.argv) == 2 and sys.argv[1].startswith(PREFIX):
        return serve(sys.argv[1], main)

    def command() -> int:
        try:
            return run(parse(with_environment(sys.argv[1:] if argv is None else argv)))
        except CompilerFailed:
            return 1

    return status_of(command, whole_process=argv is None)


def with_environment(argv: Sequence[str]) -> list[str]:
    """The arguments between those of NVCC_PREPEND_FLAGS and of NVCC_APPEND_FLAGS, as nvcc takes them."""
    before, after = (shlex.split(os.environ.get(f"NVCC_{name}_FLAGS", "")) for name in ("PREPEND", "APPEND"))
    return [*before, *argv, *after]


def run(line: CommandLine) -> int:
    """Do what the command line asks for."""
    if line.help or line.version or line.lists:
        print(HELP if line.help else version_text() if line.version else architectures(line.lists), end="")
        return 0
    if line.runs and len(line.inputs) == 1 and is_program(Path(line.inputs[0])):
        return run_program(line.inputs[0], line)
    if line.clean:
        remove(line)
        return 0
    target = parse_target(line.target, line.sysroot)
    line.compare = line.compare or compare_is_wanted()
    line.strict = line.strict or strict_is_wanted()
    line.line_info = line.line_info or line.strict
    driver = Driver(find_toolchain(target), line)
    if line.settings_key:
        print(settings_key(driver.toolchain))
        return 0
    driver.show_environment()
    check(line)
    for note in line.notes:
        driver.note(note)
    make(driver)
    if line.time_file is not None and not line.dry_run:
        driver.times.write(line.time_file)
    if line.runs and not line.dry_run:
        return run_program(f"./{product(line)}" if line.output is None else line.output, line)
    return 0


def make(driver: Driver) -> None:
    """Write what the command line asks for."""
    line = driver.line
    if line.syntax_only:
        for name in line.inputs:
            if driver.language_of(Path(name)) == "cuda":
                sources.check_device_code(driver, Path(name))
    elif line.action in (PREPROCESS, DEPENDENCIES):
        for name in line.inputs:
            preprocessing.preprocess(driver, Path(name), "-E" if line.action == PREPROCESS else line.dependency_action)
    elif line.action == COMPILE:
        compile_all(driver)
    elif line.action in MODULES:
        write_modules(driver)
    elif line.action == DEVICE_LINK:
        linking.device_link(driver, Path(line.output or "a_dlink.o"))
    else:
        build(driver)


def check(line: CommandLine) -> None:
    """Refuse a command line that cannot be carried out, before anything is written."""
    if not line.inputs:
        raise Diagnostic("no input files", hint="warpcc --help")
    for name in line.inputs:
        if not Path(name).exists():
            raise Diagnostic("no such file", file=name)
    are_parts = line.action in MODULES and all(is_lto_ir(name) for name in line.inputs)
    if line.action in (COMPILE, *MODULES) and line.output and len(line.inputs) > 1 and not are_parts:
        raise Diagnostic(f"-o with {line.action} and several files", hint="use -odir")
    if "-MF" in line.dependency_flags and len(line.inputs) > 1 and line.action != LINK:
        raise Diagnostic("-MF with several files", hint="one call for each, or -MD alone")
    known = cpus(parse_target(line.target, line.sysroot).arch)
    if line.cpu is not None and line.cpu not in known:
        raise Diagnostic(f"'--cpu {line.cpu}' is unknown", hint="one of " + ", ".join(known))
    if line.fat:
        check_fat(line, known)


def check_fat(line: CommandLine, known: Mapping[str, str]) -> None:
    """Refuse what --fat cannot be combined with."""
    clashes = {
        "--cpu": line.cpu is not None,
        "--compare": line.compare,
        "-rdc=true": line.separate,
        line.action: line.action in MODULES,
        f"--target {line.target}": not set(FAT_CPUS) <= set(known),
    }
    for flag, is_given in clashes.items():
        if is_given:
            raise Diagnostic(f"--fat and {flag} do not go together", hint="leave one of them out")


def compile_all(driver: Driver) -> None:
    """-c: an object for each source."""
    for name in driver.line.inputs:
        source = Path(name)
        if driver.language_of(source) == "object":
            driver.note(f"{name} is not compiled: it is no source file")
            continue
        output = driver.line.output or f"{source.stem}.o"
        sources.compile_file(driver, source, Path(driver.line.output_folder or ".", output))


def write_modules(driver: Driver) -> None:
    """-fatbin, -cubin, -ptx, -ltoir: a module for each source, and one for all that an earlier -ltoir wrote."""
    line, suffix = driver.line, MODULES[driver.line.action]
    if parts := [Path(name) for name in line.inputs if is_lto_ir(name)]:
        output = Path(line.output_folder or ".", line.output or parts[0].stem + suffix)
        sources.linked_module(driver, parts, output)
    for name in (name for name in line.inputs if not is_lto_ir(name)):
        output = line.output or Path(name).stem + suffix
        sources.module(driver, Path(name), Path(line.output_folder or ".", output))


def is_lto_ir(name: str) -> bool:
    """Whether a file is what -ltoir writes, by its name."""
    return Path(name).suffix == MODULES[LTO_IR]


def build(driver: Driver) -> None:
    """Compile what is source, then link or archive everything."""
    line = driver.line
    with temporary_folder("warpcc-link-") as folder:
        objects: dict[str, str] = {}
        for number, name in enumerate(line.inputs):
            if driver.language_of(Path(name)) != "object":
                objects[name] = str(Path(folder, f"{number}-{Path(name).stem}.o"))
                sources.compile_file(driver, Path(name), Path(objects[name]))
        if line.action == LIBRARY:
            linking.archive(driver, [objects.get(name, name) for name in line.inputs], product(line))
        else:
            linking.link(driver, objects, product(line))


def product(line: CommandLine) -> Path:
    """The program or library that is built."""
    return Path(line.output_folder or ".", line.output or ("a.a" if line.action == LIBRARY else "a.out"))


def remove(line: CommandLine) -> None:
    """-clean: remove what the command line would write."""
    folder = Path(line.output_folder or ".")
    if line.action in (COMPILE, *MODULES):
        suffix = MODULES.get(line.action, ".o")
        made = [folder / (line.output or Path(name).stem + suffix) for name in line.inputs]
    else:
        made = [Path(line.output or "a_dlink.o") if line.action == DEVICE_LINK else product(line)]
    if line.dependency_flags:
        named = line.dependency_flags
        made += [Path(named[named.index("-MF") + 1])] if "-MF" in named else [each.with_suffix(".d") for each in made]
    for each in made:
        each.unlink(missing_ok=True)


def is_program(path: Path) -> bool:
    """Whether -run runs this file as it is."""
    return path.suffix not in LANGUAGES and path.is_file() and os.access(path, os.X_OK)


def run_program(name: str, line: CommandLine) -> int:
    """-run: the program's status."""
    sys.stdout.flush()
    ended = subprocess.run([Path(name).absolute(), *line.run_arguments], check=False).returncode
    return ended if ended >= 0 else 128 - ended


def architectures(lists: Sequence[str]) -> str:
    """--list-gpu-arch, --list-gpu-code: what nvcc 13.0 has, since build files choose from that."""
    if {"arch", "code"} <= set(lists):
        return "".join(f"arch=compute_{arch},code=sm_{arch}\n" for arch in ARCHITECTURES)
    prefix = "compute" if "arch" in lists else "sm"
    return "".join(f"{prefix}_{arch}\n" for arch in ARCHITECTURES)


def version_text() -> str:
    """In nvcc's form: scripts read the release from it, and CMake knows the command line by the name in line 2."""
    major, minor, build_number = CUDA_VERSION
    return (
        f"warpcc: Warploom {VERSION}, CUDA compiler driver for CPUs, in place of\n"
        "nvcc: NVIDIA (R) Cuda compiler driver\n"
        f"Cuda compilation tools, release {major}.{minor}, V{major}.{minor}.{build_number}\n"
    )


if __name__ == "__main__":
    sys.exit(main())
