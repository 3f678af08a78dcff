# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package's modules stand in layers: imports go downwards, and no two modules import each other, by any way round.

Imports within functions and under TYPE_CHECKING count like any other: what a module cannot be read without it depends
on, whenever it is loaded. Those that cannot be mended are listed with the reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from warploom.analysis.components import strong_components

SOURCE = Path(__file__).resolve().parents[1] / "src"

# From the bottom up. A row is a layer: groups of what stands directly below `warploom`, which know nothing of each
# other; what is in one group may import each other.
LAYERS = (
    (
        # The compiler's ground: what a message, a machine and a file in the cache are.
        "ahead bytecode core cache cpu debug diagnostics engines progress scratch step_times target toolchain version",
    ),
    ("llvm", "ir"),
    ("analysis",),
    ("frontend", "passes"),
    ("pipeline",),
    ("host_libraries runtime_objects runtime_library", "backend"),
    ("compiler",),
    ("driver", "api"),
    ("pyjit",),
    ("profiling", "suite", "compat", "torch"),
    ("cli fuzz measure",),  # the commands, and what two of them are made of
)
# The rooms of `passes`, from the bottom up: what holds between passes, and what runs them, stands above all.
ROOMS = (("clean", "vector"), ("shape", "barrier", "guards", "tune"))
# Imports within functions that close a circle, and why they have to: the others import at their top.
LATE = {
    ("warploom.compat.cupy.core", "warploom.compat.cupy"): "NumPy asks an array for functions of the package by name",
    ("warploom.compat.cupy.core", "warploom.compat.cupy.absolute"): "abs(x) is a kernel, which takes arrays",
    ("warploom.compat.cupy.core", "warploom.compat.cupy.tracing"): "operators are traced, and tracing makes arrays",
    ("warploom.compat.cupy.cuda", "warploom.compat.cupy"): "RawKernel is a name of cupy.cuda as well",
    ("warploom.compat.cupy.functions", "warploom.compat.cupy"): "get_array_module gives the package",
    (
        "warploom.compat.pycuda.driver",
        "warploom.compat.pycuda.compiler",
    ): "SourceModule is reached by it as well",
}
# What stands nowhere above is a front end of its own: it may import all, and only its like imports it.
TOP = len(LAYERS)


def module_files() -> dict[str, Path]:
    """Each module of the package, by its dotted name."""
    files: dict[str, Path] = {}
    for path in sorted((SOURCE / "warploom").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return files


MODULES = module_files()


@cache
def imported(name: str) -> set[str]:
    """The modules of the package that a module names: in imports, and in texts that are some module's name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text())):
        for full in _names_in(node):
            while full and full not in MODULES:
                full = full.rpartition(".")[0]
            found.add(full)
    return found - {name, ""}


def _names_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports say the whole name"
        yield from (f"{node.module}.{each.name}" for each in node.names)
    elif isinstance(node, ast.Constant) and node.value in MODULES and node.value != "warploom":
        yield str(node.value)  # for import_module


def layer_and_group(name: str) -> tuple[int, str]:
    """Where a module stands; at the top are `warploom` itself, which hands out names of all others, and programs."""
    if name.endswith("__main__"):
        return TOP, "top"
    part = [*name.split("."), ""][1]
    for number, groups in enumerate(LAYERS):
        for group in groups:
            if part in group.split():
                return number, group
    return TOP, "top"


def goes_down(importer: str, target: str) -> bool:
    """Whether an import may stand."""
    (own, own_group), (other, other_group) = layer_and_group(importer), layer_and_group(target)
    return other < own or own_group == other_group


def test_imports_go_downwards() -> None:
    upwards = [
        f"{name} imports {target}" for name in MODULES for target in imported(name) if not goes_down(name, target)
    ]
    assert not upwards, "\n".join(upwards)


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {name: sorted(each for each in imported(name) if (name, each) not in LATE) for name in MODULES}
    circles = [sorted(part) for part in strong_components(graph) if len(part) > 1]
    assert not circles, circles


def test_rooms_of_passes_stand_on_each_other() -> None:
    floors = {room: number for number, rooms in enumerate(ROOMS) for room in rooms}
    modules = {name: name.split(".") for name in MODULES if name.startswith("warploom.passes.")}
    inside = {name: parts[2] for name, parts in modules.items() if len(parts) == 4}
    assert set(inside.values()) == set(floors)
    wrong = [
        (name, each)
        for name, room in inside.items()
        for each in imported(name)
        if each in inside and inside[each] != room and floors[inside[each]] >= floors[room]
    ]
    assert not wrong, wrong


def test_no_pass_knows_another() -> None:
    """Only the pipeline does: what two passes need is in a file of its own."""
    passes = {name for name, path in MODULES.items() if re.search(r"^[A-Z_]+ = Pass\(", path.read_text(), re.MULTILINE)}
    assert passes
    known = [(name, each) for name in MODULES if ".passes." in name for each in imported(name) & passes]
    assert not known, known


def test_what_is_listed_as_late_is_there() -> None:
    assert all(target in imported(name) for name, target in LATE)


def test_every_layer_is_there() -> None:
    """A name that is moved away would leave its row without a meaning."""
    known = {name.split(".")[1] for name in MODULES if "." in name}
    named = [word for groups in LAYERS for group in groups for word in group.split()]
    assert len(named) == len(set(named))
    assert set(named) <= known
