# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every number that decides something about speed is in the table of docs/passes.md, with what was measured."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "warploom"
ROW = re.compile(r"^\| `(?P<file>[a-z_/]+\.py)` \| `(?P<name>[A-Za-z_.]+)` \| (?P<value>[^|]+) \| (?P<why>[^|]+) \|$")
NAME = re.compile(r"_?[A-Z][A-Z0-9_]*")

# What decides nothing about speed: bits and bytes of formats, codes of LLVM and of DWARF, versions, sizes that CUDA or
# the processor sets, marks that are no numbers of anything.
NO_THRESHOLDS = {
    "passes/barrier/minimum_cut.py": "_INFINITE",
    "passes/clean/carried_halves.py": "_LOW",
    "passes/tune/cache_lines.py": "LINE",
    "passes/tune/prefetch_tiles.py": "_LINE",
    "passes/vector/rows_of_blocks.py": "_MOST",
    "analysis/strides.py": "_LONG",
    "passes/vector/vectorise_warp.py": "_EXCHANGED _WHOLE",
    "passes/vector/wide_division.py": "_LESS",
    "passes/vector/widen_comparisons.py": "_FAR",
    "analysis/corners.py": "MOST_THREADS",
    "analysis/injective.py": "FAR ONE_THREAD",
    "analysis/lane_bits.py": "ALL OF_A_LANE",
    "analysis/lane_shapes.py": "X Y",
    "analysis/lanes.py": "_MOST_ALIGN",
    "analysis/op_costs.py": "CYCLE PORTS",
    "analysis/open_collectives.py": "_SIZES",
    "analysis/vector_cost.py": "_WORD",
    "analysis/sample_run.py": "_FAR _WORD",
    "backend/alignment.py": "_WIDEST",
    "backend/dead_stores.py": "ANYWHERE FARTHEST",
    "backend/debug_producer.py": "_PRODUCER",
    "backend/loom_frames.py": "_LEAST_ALIGN",
    "backend/dot_products.py": "_WORD _NARROWEST _BIAS _MINUS_128",
    "backend/flush_denormals.py": "_EXPONENT _SIGN",
    "backend/gpu_arithmetic.py": "_BYTE _NOT_EQUAL _UNSIGNED_LESS _UNORDERED _REASSOCIATE _NO_SIGNED_ZEROS _LONGEST "
    "_NARROWEST",
    "backend/gpu_division.py": "_HALF _LONGEST",
    "backend/half_range.py": "_EXACT_BITS",
    "backend/image.py": "IMAGE_VERSION _CONSTANT_FLAG _MANAGED_FLAG _NO_BLOCK _ANY_NUMBER",
    "backend/lock_step.py": "_LAST_RANK",
    "backend/loom_blocks.py": "SCRATCH_ALIGN",
    "backend/loom_choices.py": "_SIZES",
    "backend/loom_scattered.py": "_PAGE",
    "backend/loom_text.py": "SHARED_STAYS ONE_AT_A_TIME THREADS_NAMED",
    "backend/prepare.py": "STATIC_SHARED_LIMIT",
    "backend/resource_usage.py": "REGISTERS",
    "backend/shared_debug.py": "_GLOBALS _RETAINED _VARIABLE _NAME _SCOPE _GLOBAL_VARIABLE_EXPRESSION _LEXICAL_BLOCKS "
    "_DEREF _NO_FLAGS",
    "backend/shared_memory.py": "STATIC DYNAMIC STATIC_SHARED_OFFSET _LARGEST_ALIGNMENT",
    "backend/single_rounding.py": "_HELD",
    "backend/spin_points.py": "_MONOTONIC",
    "backend/minima.py": "_NO_SIGNED_ZEROS _NARROWEST _WIDEST _WORD _ROUNDING",
    "backend/twins.py": "ALL_FLOAT_KINDS",
    "backend/work_text.py": "MOST_ARGUMENTS MOST_TEXT",
    "backend/thread_by_thread.py": "_CONTRACT",
}


def numbers() -> Iterator[tuple[str, str, str]]:
    """Every constant of a module that is a number, or several: file, name, value."""
    for room in ("passes", "analysis", "backend"):
        for path in sorted((PACKAGE / room).rglob("*.py")):
            for statement in ast.parse(path.read_text()).body:
                if isinstance(statement, ast.Assign):
                    yield from named(str(path.relative_to(PACKAGE)), statement.targets[0], statement.value)
                elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
                    yield from named(str(path.relative_to(PACKAGE)), statement.target, statement.value)


def named(file: str, target: ast.expr, value: ast.expr) -> Iterator[tuple[str, str, str]]:
    """What an assignment binds that is in capitals and a number."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for each, part in zip(target.elts, value.elts, strict=True):
            yield from named(file, each, part)
    elif isinstance(target, ast.Name) and NAME.fullmatch(target.id) and is_number(value):
        found: float | tuple[float, ...] = eval(ast.unparse(value))
        yield file, target.id, ", ".join(map(str, found)) if isinstance(found, tuple) else str(found)


def is_number(value: ast.expr) -> bool:
    """Whether an expression is of numbers alone."""
    if isinstance(value, ast.Tuple):
        return bool(value.elts) and all(map(is_number, value.elts))
    if isinstance(value, ast.BinOp):
        return is_number(value.left) and is_number(value.right)
    if isinstance(value, ast.UnaryOp):
        return is_number(value.operand)
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def rows() -> dict[tuple[str, str], tuple[str, str]]:
    """The table: value and reason by file and name."""
    found = filter(None, map(ROW.match, (ROOT / "docs" / "passes.md").read_text().splitlines()))
    return {(row["file"], row["name"]): (row["value"].strip(), row["why"].strip()) for row in found}


def test_each_threshold_is_in_the_table() -> None:
    found = {(file, name): value for file, name, value in numbers() if name not in NO_THRESHOLDS.get(file, "").split()}
    table = {key: value for key, (value, _) in rows().items() if (PACKAGE / key[0]).parent.name != "core"}
    assert table == found


def test_no_exception_is_out_of_date() -> None:
    known = {(file, name) for file, name, _ in numbers()}
    assert {(file, name) for file, names in NO_THRESHOLDS.items() for name in names.split()} <= known


def test_each_row_says_what_was_measured() -> None:
    assert all(len(why) > 10 for _, why in rows().values())


def test_the_cost_table_is_in_it() -> None:
    source = ast.parse((PACKAGE / "core" / "processor.py").read_text())
    costs = next(each for each in source.body if isinstance(each, ast.ClassDef) and each.name == "Costs")
    fields = [each for each in costs.body if isinstance(each, ast.AnnAssign) and each.value is not None]
    found = {f"Costs.{ast.unparse(each.target)}": ast.unparse(each.value) for each in fields if each.value}
    assert {name: value for (file, name), (value, _) in rows().items() if file == "core/processor.py"} == found
