# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a folder of CUDA sources is built and run, from the build files that it holds.

A Makefile is run by make, with nvcc found on PATH. A CMakeLists.txt is read, not run: CMake would look for NVIDIA's
toolkit. One line over the sources of its first executable does the same, as such a file names little more than sources,
folders of headers and libraries:

    add_executable(scan main.cpp scan.cu)                nvcc -rdc=true -I../../Common main.cpp scan.cu
    target_link_libraries(scan PUBLIC CUDA::cufft) ==>        -o scan -lcufft && ./scan
    include_directories(../../Common)
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from warploom.core.records import dataclass, field

COMMAND = re.compile(r"(\w+)[ \t]*\(((?:[^()]|\([^()]*\))*)\)")
VARIABLE = re.compile(r"\$\{(\w+)\}")
GENERATOR = re.compile(r"\$<[^>]*>:?")
HEADERS = "$CUDA_INCLUDE"  # the folder of the compiler's own headers, for the shell to fill in
KEYWORDS = {"PUBLIC", "PRIVATE", "INTERFACE", "BEFORE", "SYSTEM", "WIN32"}
ELSEWHERE = ("WIN32", "QNX", "Visual Studio", "MSVC", "APPLE", "aarch64", "_tegra", "ENABLE_CUDA_DEBUG")
PROVIDED = {"CUDAToolkit", "OpenMP", "Threads"}  # packages that need nothing beside the compiler
LIBRARIES = {
    "CUDA::cuda_driver": "-lcuda",
    "CUDA::cusolver": "-lcusolver -lcublas -lcusparse",  # what CMake's target brings
    "OpenMP::OpenMP_CXX": "-Xcompiler -fopenmp",
    "OpenMP::OpenMP_C": "",
}
# make prints what it would run, so that the exit status is the program's and not make's.
MAKE_RUN = "make -n --no-print-directory ARCH=sm_80 run > .run.sh && exec sh -e ./.run.sh"


@dataclass(frozen=True)
class Recipe:
    """Shell lines, and the packages beside CUDA that the folder asks for."""

    build: str
    run: str
    needs: tuple[str, ...] = ()


@dataclass
class CMakeProject:
    """What was read of a CMakeLists.txt."""

    name: str = ""
    sources: list[str] = field(default_factory=list[str])
    includes: list[str] = field(default_factory=list[str])
    libraries: list[str] = field(default_factory=list[str])
    options: list[str] = field(default_factory=list[str])
    needs: list[str] = field(default_factory=list[str])
    extra: list[str] = field(default_factory=list[str])  # other compilations: a kernel as a fat binary, say
    copies: list[str] = field(default_factory=list[str])  # data and headers that lie beside the executable
    standard: str = "17"
    separate: bool = False


def build_folder(folder: Path) -> Path:
    """`folder`, or the folder above it when only that has a file to build by (the sources in `src`, say)."""
    return folder if has_build_file(folder) or not has_build_file(folder.parent) else folder.parent


def has_build_file(folder: Path) -> bool:
    """Is there a Makefile or a CMakeLists.txt?"""
    return (folder / "Makefile").is_file() or (folder / "CMakeLists.txt").is_file()


def recipe_of(folder: Path) -> Recipe:
    """How `folder` is built and run; FileNotFoundError when it has nothing to build by."""
    if (folder / "Makefile").is_file():
        return Recipe("make ARCH=sm_80", MAKE_RUN)
    project = read_cmake((folder / "CMakeLists.txt").read_text(errors="replace"))
    if not project.sources:
        return Recipe("", "", tuple(project.needs) or ("another operating system",))
    lines = [*project.extra, compile_line(project)]
    build = "; ".join([*project.copies, " && ".join(lines)])
    return Recipe(build, f"./{shlex.quote(project.name)}", tuple(project.needs))


def compile_line(project: CMakeProject) -> str:
    """The whole executable by one command."""
    separate = ["-rdc=true"] if project.separate else []
    flags = [f"-std=c++{project.standard}", "-O3", "-arch=sm_80", *separate, *project.options]
    folders = [f"-I{folder}" for folder in project.includes]
    return " ".join(["nvcc", *flags, *folders, *project.sources, "-o", project.name, *project.libraries])


def read_cmake(text: str) -> CMakeProject:
    """The first executable of a CMakeLists.txt, as it is built on Linux."""
    project = CMakeProject()
    variables = {
        "CMAKE_CURRENT_SOURCE_DIR": ".",
        "CMAKE_CURRENT_BINARY_DIR": ".",
        "CMAKE_CUDA_COMPILER": "nvcc",
        "CMAKE_COMMAND": "cmake",
        "CUDAToolkit_INCLUDE_DIRS": HEADERS,
    }
    for command, body in active_commands(text):
        arguments = words(body, variables)
        if command == "set" and arguments:
            variables[arguments[0]] = " ".join(arguments[1:])
        elif command == "list" and arguments[:1] == ["GET"] and len(arguments) == 4:
            variables[arguments[3]] = variables.get(arguments[1], "")
        elif command == "project" and arguments:
            variables["PROJECT_NAME"] = arguments[0]
        elif command == "find_package" and arguments and arguments[0] not in PROVIDED:
            project.needs.append(arguments[0])
        else:
            note_command(project, command, arguments)
    return project


def note_command(project: CMakeProject, command: str, arguments: Sequence[str]) -> None:
    """Put what a command says about the executable into `project`."""
    values = [word for word in arguments[1:] if word not in KEYWORDS and "${" not in word and word != HEADERS]
    mine = bool(arguments) and arguments[0] in (project.name, "")
    if command == "add_executable" and not project.sources:
        project.name = arguments[0]
        project.sources = [word for word in values if not word.endswith((".h", ".hpp", ".cuh", ".hxx"))]
    elif command == "include_directories":
        project.includes += [word for word in arguments if word not in KEYWORDS and "${" not in word]
    elif command == "target_include_directories" and mine:
        project.includes += values
    elif command == "target_link_libraries" and mine:
        project.libraries += [library_flag(word) for word in values]
    elif command in ("target_compile_options", "target_compile_definitions") and mine:
        project.options += [word if word.startswith("-") else f"-D{word}" for word in map(plain_option, values) if word]
    elif command == "target_compile_features" and mine:
        project.standard = next((word[9:] for word in values if word.startswith("cuda_std_")), project.standard)
    elif command == "set_target_properties" and mine and "CUDA_SEPARABLE_COMPILATION" in values:
        project.separate = values[values.index("CUDA_SEPARABLE_COMPILATION") + 1 :][:1] == ["ON"]
    elif command == "add_custom_command" and "-E" in arguments:
        project.copies.append(copy_line(arguments[arguments.index("-E") + 1 :]))
    elif command == "add_custom_command" and "nvcc" in arguments:
        begin = arguments.index("nvcc")
        ends = [at for at, word in enumerate(arguments) if at > begin and word in ("DEPENDS", "COMMENT", "COMMAND")]
        line = arguments[begin : min(ends, default=len(arguments))]
        project.extra.append(" ".join(word for word in line if "${" not in word))


def copy_line(arguments: Sequence[str]) -> str:
    """CMake's `copy`, `copy_if_different` and `copy_directory`. What is missing, or there already, does not matter."""
    kind, *files = arguments
    flags = "-rT" if kind == "copy_directory" else "-n"
    return f"cp {flags} {' '.join(files)} 2>/dev/null || true" if kind.startswith("copy") else "true"


def plain_option(word: str) -> str:
    """`--extended-lambda` of `$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>`; nothing for an option of others."""
    if "COMPILE_LANGUAGE" in word and "CUDA" not in word:
        return ""
    return re.sub(r"^\$<\$<[^>]*>:", "", word).removesuffix(">").replace('"', "")


def library_flag(word: str) -> str:
    """`-lcufft` for `CUDA::cufft`."""
    if word in LIBRARIES:
        return LIBRARIES[word]
    return f"-l{word.removeprefix('CUDA::').removesuffix('_static')}"


def active_commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command with its arguments, where the conditions around it hold on Linux with every package found."""
    holds: list[bool] = []
    for match in COMMAND.finditer(re.sub(r"#[^\n]*", "", text)):
        command, body = match[1].lower(), match[2]
        if command == "if":
            holds.append(condition_holds(body))
        elif command in ("else", "elseif") and holds:
            holds[-1] = not holds[-1] and (command == "else" or condition_holds(body))
        elif command == "endif" and holds:
            holds.pop()
        elif all(holds):
            yield command, body


def condition_holds(body: str) -> bool:
    """Is a condition true here? All that asks for another system is false."""
    elsewhere = any(word in body for word in ELSEWHERE)
    return elsewhere if re.search(r"\bNOT\b", body) else not elsewhere


def words(body: str, variables: dict[str, str]) -> list[str]:
    """The arguments of a command with known variables put in; unknown ones stay as they are."""
    expanded = VARIABLE.sub(lambda match: variables.get(match[1], match[0]), body)
    return [word.strip('"') for word in re.findall(r'"[^"]*"|[^\s"]+', expanded)]
