# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What does each threshold of the compiler decide? Compile programs with one set to half, and to twice its value.

    python scripts/thresholds.py BITCODE                    # all thresholds of the table in docs/passes.md
    python scripts/thresholds.py BITCODE --names MAX_TRIPS  # these
    python scripts/thresholds.py BITCODE --run hotspot --names unroll.py:MAX_TRIPS

The programs are those of scripts/object_hashes.py, and the CUDA files below the folders that `--folders` names; BITCODE
keeps what clang makes of them. First all are compiled with constants that know what they would be with each setting,
and so do sums of them: a setting can change a program only where a comparison comes out otherwise. Those programs are
compiled again with that setting, up to LLVM's optimiser. A line for each setting: in how many programs a comparison
differs, in how many the code does, and which.

`--run` builds a workload of `warploom bench` with each setting, and without, and tells the processor time of the one
over that of the other, one thread, the least of several alternating runs.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import itertools
import json
import operator
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib.machinery import SourceFileLoader
from multiprocessing import get_context
from pathlib import Path
from types import CodeType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "warploom"
TABLE = ROOT / "docs" / "passes.md"
_ROW = re.compile(r"^\| `(?P<file>[a-z_/]+\.py)` \| `(?P<name>[A-Za-z_.]+)` \| (?P<value>[^|]+) \|")
_FACTORS = (0.5, 2.0)
# In the environment of compilers that this script starts: the settings, as JSON.
_SETTINGS = "WARPLOOM_THRESHOLDS"


class Threshold(NamedTuple):
    """A constant of a module, or `Class.field`, with its value in the table."""

    file: str  # below the package
    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.file}:{self.name}"

    def scaled(self, factor: float) -> str:
        """The value, or each number of a tuple, times `factor`: whole numbers stay whole, and 1 at least."""
        return ", ".join(_scaled(word, factor) for word in self.value.split(", "))


def _scaled(number: str, factor: float) -> str:
    return repr(float(number) * factor) if "." in number else repr(max(1, int(int(number) * factor)))


def table() -> list[Threshold]:
    """The rows of docs/passes.md."""
    found = filter(None, map(_ROW.match, TABLE.read_text().splitlines()))
    return [Threshold(row["file"], row["name"], row["value"].strip().replace("\u202f", "")) for row in found]


# The constants of a process


class Constants(ast.NodeTransformer):
    """Puts other values in place of constants of a module and of fields of its classes."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values
        self.classes = ""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Fields are called `Class.field`."""
        self.classes = f"{node.name}."
        self.generic_visit(node)
        self.classes = ""
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Variables of functions are none."""
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """`NAME = value`, or `A, B = values`."""
        names = [ast.unparse(each) for each in _elements(node.targets[0])]
        values = [self.values.get(f"{self.classes}{each}") for each in names]
        if len(names) == 1 and values[0] is not None:
            node.value = ast.parse(values[0], mode="eval").body
        elif any(values) and isinstance(node.value, ast.Tuple):
            given = [
                ast.parse(new, mode="eval").body if new else old
                for new, old in zip(values, node.value.elts, strict=True)
            ]
            node.value = ast.Tuple(given, ast.Load())
        return ast.fix_missing_locations(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """`name: type = value`."""
        value = self.values.get(f"{self.classes}{ast.unparse(node.target)}")
        if value is not None:
            node.value = ast.parse(value, mode="eval").body
        return ast.fix_missing_locations(node)


def _elements(node: ast.expr) -> Sequence[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else (node,)


def install(settings: Mapping[str, Mapping[str, str]]) -> None:
    """Modules that are imported from here on have other values: for each file below the package its names."""
    get_code = SourceFileLoader.get_code

    def changed(loader: SourceFileLoader, fullname: str) -> CodeType | None:
        path = Path(loader.path)
        values = settings.get(str(path.relative_to(PACKAGE))) if path.is_relative_to(PACKAGE) else None
        if values is None:
            return get_code(loader, fullname)
        return compile(Constants(values).visit(ast.parse(path.read_text())), str(path), "exec")

    SourceFileLoader.get_code = changed


# Numbers that know what they would be with other settings

Setting = tuple[str, float]  # a threshold and a factor
FLIPPED: set[Setting] = set()  # those with which a comparison so far would have come out otherwise


class Watched:
    """A number that knows what it would be with other settings, and notes in FLIPPED which of them comparisons tell."""

    base: float
    others: Mapping[Setting, float]


class WatchedInt(Watched, int):
    """A whole one."""


class WatchedFloat(Watched, float):
    """Any other."""


def _plain(number: float) -> float:
    return number.base if isinstance(number, Watched) else number


def watched(number: float, others: Mapping[Setting, float]) -> float:
    """`number`, which would be `others` with other settings."""
    made = WatchedInt(number) if isinstance(number, int) else WatchedFloat(number)
    made.base, made.others = number, others
    return made


def _others(*operands: float) -> dict[Setting, list[float]]:
    """The operands, as they would be with each setting that one of them depends on."""
    known = [each.others if isinstance(each, Watched) else {} for each in operands]
    settings = {setting: None for each in known for setting in each}
    return {at: [each.get(at, _plain(number)) for each, number in zip(known, operands, strict=True)] for at in settings}


def _numbers(operands: Iterable[object]) -> bool:
    return all(isinstance(each, int | float) for each in operands)


def _noting(compare: Callable[..., bool]) -> Callable[..., bool]:
    def method(*operands: float) -> bool:
        if not _numbers(operands):
            return NotImplemented
        found = compare(*map(_plain, operands))
        FLIPPED.update(at for at, values in _others(*operands).items() if compare(*values) != found)
        return found

    return method


def _deriving(compute: Callable[..., float], *, reflected: bool = False) -> Callable[..., float]:
    def method(*operands: float) -> float:
        if not _numbers(operands):
            return NotImplemented
        operands = operands[::-1] if reflected else operands
        others = {at: compute(*values) for at, values in _others(*operands).items()}
        return watched(compute(*map(_plain, operands)), others)

    return method


for _class in (WatchedInt, WatchedFloat):
    for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(_class, f"__{_name}__", _noting(getattr(operator, _name)))
    for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "neg"):
        setattr(_class, f"__{_name}__", _deriving(getattr(operator, _name)))
        setattr(_class, f"__r{_name}__", _deriving(getattr(operator, _name), reflected=True))
    _class.__bool__ = _noting(bool)
    _class.__hash__ = lambda number: hash(_plain(number))


def watch(threshold: str, number: float) -> float:
    """A constant as it is with each setting."""
    scale = float if isinstance(number, float) else int
    return watched(number, {(threshold, factor): scale(_scaled(repr(number), factor)) for factor in _FACTORS})


def watching(threshold: Threshold) -> str:
    """The expression of a watched constant."""
    words = threshold.value.split(", ")
    made = [f"__import__('sys').modules['thresholds'].watch({str(threshold)!r}, {word})" for word in words]
    return f"({', '.join(made)})"


# Compiling


class Compiled(NamedTuple):
    """The hash of a program's code before LLVM's optimiser, and what a setting could change."""

    code: str
    flipped: frozenset[Setting]


def programs(folders: Iterable[Path], every: int) -> list[Path]:
    """What is compiled: the workloads of `warploom bench`, and each `every`-th of all else."""
    known = importlib.import_module("object_hashes").sources()
    workloads = [each for each in known if each.is_relative_to(ROOT / "bench" / "workloads")]
    others = [each for each in known if each not in workloads]
    others += [each for folder in folders for each in sorted(folder.rglob("*.cu"))]
    return workloads + others[::every]


def compiled(task: tuple[Path, Path]) -> Compiled:
    """Compile a program with the constants of this process."""
    source, bitcode = task
    FLIPPED.clear()
    code = importlib.import_module("object_hashes").code_hash(source, bitcode, early=True)
    return Compiled(code, frozenset(FLIPPED))


def codes(task: tuple[Threshold, float, Sequence[Path], Path]) -> list[str]:
    """The hashes of programs with a setting."""
    threshold, factor, sources, bitcode = task
    install({threshold.file: {threshold.name: f"({threshold.scaled(factor)})"}})
    return [compiled((each, bitcode)).code for each in sources]


def counts(threshold: Threshold) -> bool:
    """Whether a threshold is the end of a range or of a slice: that is no comparison which would be noted."""
    use = rf"range\([^)]*\b{threshold.name}\b|\[[^\]]*:[^\]]*\b{threshold.name}\b|\* {threshold.name}\b[^.]"
    return bool(re.search(use, (PACKAGE / threshold.file).read_text()))


def report(thresholds: Sequence[Threshold], bitcode: Path, sources: Sequence[Path], jobs: int) -> None:
    """Print what each setting changes. The compiler is imported in other processes, with their constants."""
    assert "warploom" not in sys.modules, "others would have its constants"
    fork = get_context("fork")
    with fork.Pool(jobs, partial(install, settings_to_watch(thresholds))) as pool:
        plain = dict(zip(sources, pool.map(compiled, [(each, bitcode) for each in sources], chunksize=1), strict=True))
    print(f"{len(plain)} programs", flush=True)
    tasks: list[tuple[Threshold, float, Sequence[Path], Path]] = []
    for each, factor in itertools.product(thresholds, _FACTORS):
        tried = [at for at, made in plain.items() if counts(each) or (str(each), factor) in made.flipped]
        tasks.append((each, factor, tried, bitcode))
    with fork.Pool(jobs, maxtasksperchild=1) as pool:
        for (each, factor, tried, _), made in zip(tasks, pool.imap(codes, tasks), strict=True):
            differ = [at.stem for at, code in zip(tried, made, strict=True) if code != plain[at].code]
            names = " ".join(differ[:12]) + (" ..." if len(differ) > 12 else "")
            print(f"{each} {each.value} -> {each.scaled(factor)}: {len(tried)}, {len(differ)}: {names}", flush=True)


def settings_to_watch(thresholds: Iterable[Threshold]) -> dict[str, dict[str, str]]:
    """What `install` is to do for all of them to be watched."""
    settings: dict[str, dict[str, str]] = defaultdict(dict)
    for each in thresholds:
        settings[each.file][each.name] = watching(each)
    return settings


# Running


def built(workload: str, settings: Mapping[str, Mapping[str, str]], folder: str, name: str) -> list[str]:
    """The command that runs a workload of `warploom bench` which was built with settings."""
    listed = importlib.import_module("warploom.measure.workloads")
    (chosen,) = listed.select([workload])
    program, source = Path(folder, name), listed.source_folder() / f"{chosen.cuda}.cu"
    words = [*(sys.executable, __file__, folder, "--warpcc", "-O3", "-std=c++17"), *chosen.defines, str(source)]
    subprocess.run([*words, "-o", str(program)], env={**os.environ, _SETTINGS: json.dumps(settings)}, check=True)
    return [str(program), *chosen.arguments]


def seconds(command: Sequence[str]) -> float:
    """The processor time of a program with one thread."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    once = {**os.environ, "WARPLOOM_NUM_THREADS": "1"}
    subprocess.run(command, env=once, stdout=subprocess.DEVNULL, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def run(thresholds: Sequence[Threshold], workloads: Sequence[str], rounds: int) -> None:
    """Print the time of each workload with each setting, over that without: the least of alternating runs of both."""
    for workload, each, factor in itertools.product(workloads, thresholds, _FACTORS):
        with tempfile.TemporaryDirectory() as folder:
            plain = built(workload, {}, folder, "plain")
            other = built(workload, {each.file: {each.name: f"({each.scaled(factor)})"}}, folder, "other")
            times = [(seconds(plain), seconds(other)) for _ in range(rounds)]
        ratio = min(took for _, took in times) / min(took for took, _ in times)
        print(f"{workload} {each} {each.value} -> {each.scaled(factor)}: {ratio:.2f}", flush=True)


def main() -> None:
    """Do what the command line asks for."""
    if _SETTINGS in os.environ:
        install(json.loads(os.environ[_SETTINGS]))
    if "--warpcc" in sys.argv:
        sys.exit(importlib.import_module("warploom.cli.warpcc").main(sys.argv[sys.argv.index("--warpcc") + 1 :]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bitcode", type=Path)
    parser.add_argument("--names", nargs="+", default=[""], help="of thresholds, or parts of them")
    parser.add_argument("--folders", nargs="+", type=Path, default=[])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="of programs that are no workloads each N-th")
    parser.add_argument("--run", nargs="+", metavar="WORKLOAD")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    thresholds = [each for each in table() if any(word in str(each) for word in asked.names)]
    if asked.run:
        run(thresholds, asked.run, asked.rounds)
    else:
        with get_context("fork").Pool(1) as pool:  # not here: this process imports nothing of the compiler
            sources = pool.apply(programs, (asked.folders, asked.every))
        asked.bitcode.mkdir(parents=True, exist_ok=True)
        report(thresholds, asked.bitcode, sources, asked.jobs)


if __name__ == "__main__":
    sys.modules["thresholds"] = sys.modules["__main__"]
    main()
