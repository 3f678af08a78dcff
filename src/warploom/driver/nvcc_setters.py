# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the options of nvcc's command line that do something do: each takes the value and notes it in the command line.

The value of an option without one is the empty string; of a list each element comes by itself.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from warploom.core.patterns import regex
from warploom.debug import MOST_JAM, MOST_WIDTH, power_of_two
from warploom.diagnostics import Diagnostic
from warploom.driver.command_line import CommandLine
from warploom.engines import check_engine

Setter = Callable[[CommandLine, str], None]
_QUOTED = regex(r"\\.|\"(?:\\.|[^\"\\])*\"|'[^']*'|,")


def split_at_commas(value: str) -> list[str]:
    """As nvcc splits lists: not inside quotes, and `\\,` is a comma of the element."""
    parts, begin = [""], 0
    for match in _QUOTED.finditer(value):
        word = match[0]
        parts[-1] += value[begin : match.start()]
        if word == ",":
            parts.append("")
        else:
            parts[-1] += "," if word == "\\," else word
        begin = match.end()
    parts[-1] += value[begin:]
    return parts


def split_for_a_tool(value: str) -> list[str]:
    """-Xcompiler and its like: the shell that nvcc starts splits at blanks, too."""
    return [word for part in split_at_commas(value) for word in shlex.split(part)]


# -- of any option -----------------------------------------------------------------------------------------------------


def keeps(name: str) -> Setter:
    """The value is kept as it is."""
    return lambda line, value: setattr(line, name, value)


def sets(**members: object) -> Setter:
    """An option without a value."""

    def apply(line: CommandLine, _value: str) -> None:
        for name, value in members.items():
            setattr(line, name, value)

    return apply


def truth(name: str) -> Setter:
    """An option whose value is true or false."""
    return lambda line, value: setattr(line, name, value == "true")


def preprocessor(flag: str) -> Setter:
    """For the preprocessor, in the order of the command line."""
    return lambda line, value: line.preprocessor.extend((flag, value))


def dependencies(flag: str) -> Setter:
    """For the dependency file; of an option with a value the last one counts."""

    def apply(line: CommandLine, value: str) -> None:
        if not value:
            line.dependency_flags.append(flag)
            return
        if flag in line.dependency_flags:
            at = line.dependency_flags.index(flag)
            del line.dependency_flags[at : at + 2]
        line.dependency_flags += [flag, value]

    return apply


def host_flag(flag: str) -> Setter:
    """A flag of clang; a value follows it after `=`."""
    return lambda line, value: line.host_flags.append(f"{flag}={value}" if value else flag)


def warning(flag: str) -> Setter:
    """A flag of clang about what it says."""
    return lambda line, _value: line.warnings.append(flag)


def linker_flag(flag: str) -> Setter:
    """For the linker, in the order of inputs and libraries."""
    return lambda line, value: line.linker_flags.append(flag + value)


# -- of one option -----------------------------------------------------------------------------------------------------


def host(line: CommandLine, value: str) -> None:
    """-Xcompiler."""
    line.host_flags += split_for_a_tool(value)


def linker(line: CommandLine, value: str) -> None:
    """-Xlinker."""
    line.linker_flags += [f"-Wl,{word}" for word in split_for_a_tool(value)]


def archiver(line: CommandLine, value: str) -> None:
    """-Xarchive."""
    line.archive_flags += split_for_a_tool(value)


def run_arguments(line: CommandLine, value: str) -> None:
    """-run-args."""
    line.run_arguments += split_for_a_tool(value)


def device_tool(line: CommandLine, value: str) -> None:
    """-Xptxas: of what ptxas takes, the level of optimisation and the report mean something here."""
    for word in split_for_a_tool(value):
        match = re.fullmatch(r"(?:-O|--opt-level=)([0-3])", word)
        if match:
            line.device_optimise = int(match.group(1)) if match.group(1) != "3" else None
        if word in ("-v", "--verbose"):
            line.resource_usage = True


def standard(line: CommandLine, value: str) -> None:
    """-std; the CUDA headers here need C++14, and older dialects are a subset for what CUDA programs do."""
    if not re.fullmatch(r"(c|gnu)\+\+(03|11|14|17|20|23|2a|2b|1y|1z)", value):
        raise Diagnostic(f"'-std={value}' is not a C++ standard that nvcc knows")
    line.standard = re.sub("(03|11)$", "14", value)


def architecture(line: CommandLine, value: str) -> None:
    """-arch."""
    for name in value.split(","):
        match = re.fullmatch(r"(?:sm|compute|lto)_(\d+)[af]?", name.strip())
        if match:
            line.architectures.append(int(match.group(1)))
        elif name not in ("native", "all", "all-major"):
            raise Diagnostic(f"'{name}' is not a GPU architecture", hint="for example -arch=sm_80")


def generate_code(line: CommandLine, value: str) -> None:
    """`arch=compute_80,code=sm_80` or `arch=compute_80,code=[sm_80,compute_80]`: the virtual architecture counts."""
    match = re.search(r"arch=(\w+)", value)
    if not match:
        raise Diagnostic(f"'-gencode {value}' names no arch=compute_XY")
    architecture(line, match.group(1))


def optimise(line: CommandLine, value: str) -> None:
    """-O."""
    line.optimise = f"-O{value}" if value in ("0", "1", "2", "3", "s", "fast", "g", "z") else "-O3"


def fast_compile(line: CommandLine, value: str) -> None:
    """-Ofc: LLVM's level for device code."""
    line.device_optimise = {"max": 1, "mid": 2}.get(value)


def default_stream(line: CommandLine, value: str) -> None:
    """-default-stream."""
    line.per_thread_stream = value == "per-thread"


def language(line: CommandLine, value: str) -> None:
    """-x; holds for the inputs after it."""
    line.language = {"cu": "cuda"}.get(value, value)


def cpu(line: CommandLine, value: str) -> None:
    """--cpu."""
    line.cpu = None if value == "native" else value


def engine(line: CommandLine, value: str) -> None:
    """--engine."""
    line.engine = check_engine(value)


def off_pass(line: CommandLine, value: str) -> None:
    """--off-pass."""
    line.off_passes.append(value)


def width(line: CommandLine, value: str) -> None:
    """--width."""
    line.width = power_of_two("--width", value, MOST_WIDTH)


def jam(line: CommandLine, value: str) -> None:
    """--jam."""
    line.jam = power_of_two("--jam", value, MOST_JAM)


def jobs(line: CommandLine, value: str) -> None:
    """-t, -split-compile: 0 means one process for each processor."""
    line.jobs = int(value) or None


def error_kinds(line: CommandLine, value: str) -> None:
    """-Werror: of nvcc's kinds of warnings those that clang has."""
    flags = {"all-warnings": "-Werror"} | {kind: f"-Werror={kind}" for kind in ("reorder", "deprecated-declarations")}
    if value in flags:
        line.warnings.append(flags[value])


def brief(line: CommandLine, value: str) -> None:
    """-brief-diag."""
    if value == "true":
        line.warnings.append("-fno-caret-diagnostics")


def lists(what: str) -> Setter:
    """--list-gpu-arch, --list-gpu-code."""
    return lambda line, _value: line.lists.append(what)
