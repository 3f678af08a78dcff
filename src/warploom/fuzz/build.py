# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds one program in many ways at little cost: clang reads it once, and each build goes on from there.

    program.cu --clang--> device.bc --for each build, in a child process--> device object --.
         `------clang---> host.o -----------------------------------------------------------+--> executable

What a pass, or LLVM, does to a child process (a crash, an endless loop) is a failed build, and no more.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path

from warploom.compiler import device
from warploom.core.records import dataclass, field, replace
from warploom.diagnostics import Diagnostic, format_diagnostic
from warploom.driver import sources
from warploom.driver.driver import Driver
from warploom.driver.nvcc_options import parse
from warploom.frontend import passes
from warploom.frontend.launches import LaunchSizes, launch_sizes
from warploom.frontend.passes import SourceOptions
from warploom.fuzz.tree import EXACT
from warploom.runtime_library import link_flags
from warploom.target import Machine, parse_target
from warploom.toolchain import find_toolchain, finish, start

SECONDS, SECONDS_A_KERNEL = 30, 3  # of a processor's time that each process of a build may take
PATIENCE = 10  # times that by the clock: other work may be on the machine
# A pass that breaks is to be named, and to leave its kernel to the reference engine.
SETTINGS = {"WARPLOOM_DEBUG": "1", "WARPLOOM_KEEP_GOING": "1"}


@dataclass(frozen=True)
class Built:
    """A build: why it failed, or nothing; kernels on which a pass broke; kernels that fell back, with the reason."""

    failure: str = ""
    broken: dict[str, str] = field(default_factory=dict[str, str])
    fallbacks: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Halves:
    """What clang made of a program."""

    source: Path
    machine: Machine
    bitcode: Path
    host_object: Path
    image_id: Path
    sizes: LaunchSizes
    flags: Sequence[str] = EXACT


class BuildFailed(Exception):
    """A tool's last word."""


def read_source(source: Path, machine: Machine, flags: Sequence[str] = EXACT) -> Halves:
    """Both passes of clang, for builds that share these flags."""
    driver, options = _driver(source, machine, flags)
    made = Halves(
        source,
        machine,
        source.with_name("device.bc"),
        source.with_name("host.o"),
        source.with_name("image.id"),
        launch_sizes(source),
        flags,
    )
    made.image_id.write_bytes(f"warploom image {options.unique_id}".encode() + b"\0")
    toolchain, (_, header) = driver.toolchain, sources.headers(driver, options)
    host = start(passes.host_command(toolchain, source, made.host_object, made.image_id, options, header=header))
    try:
        device.device_bitcode(toolchain, source, made.bitcode, options)
    except device.SourceRefused as refused:
        raise BuildFailed(last_error(refused.messages)) from None
    finally:
        done = finish(host)
    if done.returncode != 0:
        raise BuildFailed(last_error(done.stderr))
    return made


def build(
    halves: Halves,
    flags: Sequence[str],
    executable: Path,
    kernels: int,
    *,
    verify: bool = True,
    settings: Mapping[str, str] | None = None,
) -> Built:
    """Make the executable that warpcc makes with `flags`, which concern device code only, beside the program's.

    `kernels`: how many there are; `verify`: check the IR after every pass, which takes a fifth of the time; `settings`:
    environment variables of the build.
    """
    device_object, log = executable.with_suffix(".o"), executable.with_suffix(".log")
    limit = SECONDS + SECONDS_A_KERNEL * kernels
    child = multiprocessing.get_context("fork").Process(
        target=_compile,
        args=(halves, flags, device_object, log, {**(settings or {}), "WARPLOOM_VERIFY": str(int(verify))}, limit),
    )
    child.start()
    child.join(PATIENCE * limit)
    if child.exitcode in (None, -signal.SIGXCPU):
        child.kill()
        child.join()
        return Built(f"the build takes more than {limit} s")
    said = log.read_text(errors="replace") if log.exists() else ""
    if child.exitcode != 0:
        return Built(f"the build failed: {last_error(said)}" + (f" (signal {-child.exitcode})" * (child.exitcode < 0)))
    driver, _ = _driver(halves.source, halves.machine, [*halves.flags, *flags])
    toolchain = driver.toolchain
    objects = [str(device_object), str(halves.host_object)]  # device part first, as in any object of warpcc's
    rest = [*link_flags(toolchain), "-lpthread", "-ldl", "-lm", "-o", str(executable)]
    linked = finish(start([str(toolchain.clang), *toolchain.link_flags, *objects, *rest]))
    device_object.unlink()
    return parse_log(said) if linked.returncode == 0 else Built(f"the link failed: {last_error(linked.stderr)}")


def build_whole(
    sources: Sequence[Path], flags: Sequence[str], executable: Path, kernels: int, settings: Mapping[str, str]
) -> Built:
    """Make the executable by warpcc's own command line, from source."""
    command = [sys.executable, "-m", "warploom.cli.warpcc", *flags, *map(str, sources), "-o", str(executable)]
    limit = PATIENCE * (SECONDS + SECONDS_A_KERNEL * kernels)
    environment = {**os.environ, **SETTINGS, **settings}
    try:
        done = subprocess.run(
            command, env=environment, cwd=executable.parent, capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return Built(f"the build takes more than {limit} s")
    return parse_log(done.stderr) if done.returncode == 0 else Built(f"the build failed: {last_error(done.stderr)}")


def _driver(source: Path, machine: Machine, flags: Sequence[str]) -> tuple[Driver, SourceOptions]:
    """What warpcc would be, and how it would read the source: its own code need not be fast."""
    line = parse([*machine.flags, *flags, str(source)])
    driver = Driver(find_toolchain(parse_target(line.target, line.sysroot)), line)
    return driver, replace(driver.flags.of_source(source, source.with_suffix(".o")), optimise="-O0")


def _compile(
    halves: Halves, flags: Sequence[str], output: Path, log: Path, settings: Mapping[str, str], seconds: float
) -> None:
    """Compile the device's half: in a process that ends here, or after so many seconds of a processor."""
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(seconds), most))
    with log.open("w") as stream:
        os.dup2(stream.fileno(), 2)
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115 - until the process ends
    os.environ.update({**SETTINGS, **settings})
    os.chdir(halves.source.parent)  # reproducers of passes that break go there
    driver, options = _driver(halves.source, halves.machine, [*halves.flags, *flags])
    try:
        sources.compile_bitcode(driver, halves.bitcode, output, options, halves.image_id, halves.sizes)
    except Diagnostic as diagnostic:
        sys.exit(format_diagnostic(diagnostic))


_BROKEN = re.compile(
    r"^warploom: warning: pass (\S+) failed on kernel _Z\d+?(k\d+)P\w*: (.*); the kernel runs", re.MULTILINE
)
_FALLBACK = re.compile(r"^warploom: .*\bkernel (k\d+)\(.* runs on the reference engine: (.*)$", re.MULTILINE)


def parse_log(text: str) -> Built:
    """What a build that went through said of kernels."""
    broken = {match[2]: f"pass {match[1]}: {match[3]}" for match in _BROKEN.finditer(text)}
    return Built(broken=broken, fallbacks={match[1]: match[2] for match in _FALLBACK.finditer(text)})


def last_error(text: str) -> str:
    """The line of a compiler's output that says most."""
    lines = [line for line in text.splitlines() if line.strip()] or ["no message"]
    errors = [line for line in lines if "error" in line.lower() and not re.match(r"\d+ (error|warning)", line)]
    return (errors or lines)[-1]
