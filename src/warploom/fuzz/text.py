# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of a generated program: a CUDA file that launches every kernel and prints a line of sums a launch."""

from __future__ import annotations

from pathlib import Path

from warploom.core.records import replace
from warploom.fuzz.tree import Kernel, Program, render_body

LAUNCHES, PRELUDE = (Path(__file__).with_name(name) for name in ("launches.cuh", "prelude.cuh"))
PRELUDE_HEADERS = ("cooperative_groups.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h", "cuda_fp16.h")
OUTS = 272 * 16  # results that have a place, as in launches.cuh
POINTERS = (
    ("const i32", "in"), ("u64", "out"), ("u32", "counters"), ("i32", "scratch"), ("const f32", "x"), ("u8", "own"),
)  # fmt: skip


def program_text(made: Program, note: str = "") -> str:
    """The program as one file; `note` goes to its first line."""
    head = [f"// {note}"] if note else []
    prelude = any(each.prelude for each in made.kernels)
    headers = [*PRELUDE_HEADERS * prelude, *(name for each in made.kernels for name in each.headers)]
    head += [f"#include <{name}>" for name in dict.fromkeys(headers)]
    head += [LAUNCHES.read_text(), *([PRELUDE.read_text()] if prelude else [])]
    kernels = [kernel_text(each) for each in made.kernels]
    launches = [launch_text(each, order) for each in made.kernels for order in range(len(each.launches))]
    main = ["int main() {", "  Launches launches;", "  Device d = launches.device;", *launches, "}"]
    return "\n".join([*head, *kernels, *main, ""])


def program_parts(made: Program) -> tuple[str, ...]:
    """The program as two files for separate compilation: half of the kernels, and the rest with the host's code. None
    where no kernel can stand apart: it must not need the host's text nor the textures of prelude.cuh."""
    apart = [each for each in made.kernels if not each.call and not each.prelude][::2]
    if not apart:
        return ()
    headers = dict.fromkeys(name for each in apart for name in each.headers)
    includes = [f"#include <{name}>" for name in (*headers, "cmath", "cstdio", "cstdlib")]
    kernels = [
        text for each in apart for text in ("namespace {", each.helpers, "}", kernel_text(without_helpers(each)))
    ]
    first = "\n".join([*includes, "namespace {", LAUNCHES.read_text(), "}", *kernels])
    second = program_text(made)
    for each in apart:
        text = kernel_text(each)
        declaration = kernel_text(without_helpers(each)).split(" {\n", 1)[0] + ";\n"
        second = second.replace(text, declaration if each is not apart[0] else f"{each.helpers}\n{declaration}")
    return first, second


def without_helpers(made: Kernel) -> Kernel:
    """The kernel by itself."""
    return replace(made, helpers="")


def kernel_text(made: Kernel) -> str:
    """One `__global__` function."""
    star = "*__restrict__ " if made.restrict else "*"
    parameters = ", ".join([*(f"{type_} {star}{name}" for type_, name in POINTERS), "u32 n, u32 a, f32 f"])
    head = [f"__global__ void {made.name}({parameters}) {{", *(f"  {line}" for line in made.declarations)]
    helpers = [made.helpers] if made.helpers else []
    return "\n".join([*helpers, *head, render_body(made.body) + "}", ""])


def launch_text(made: Kernel, order: int) -> str:
    """One launch of a kernel, between the two calls that clear memory and print sums."""
    launch = made.launches[order]
    dynamic, own = made.dynamic * launch.threads, made.own * launch.size
    grid, block = (f"dim3({', '.join(map(str, size))})" for size in (launch.grid, launch.block))
    sizes = f"{own}, {min(launch.size, OUTS)}, {made.scratch}" if made.judged else f"{own or ''}"
    setup = f"launches.begin({sizes}); "
    if not launch.constant:
        setup += f"u32 x = unknown({launch.block[0]}); "
        block = f"dim3(x, {launch.block[1]}, {launch.block[2]})"
    scalars = f"{launch.n}u, {launch.a}u, {launch.f}f"
    arguments = f"{', '.join(f'd.{name}' for _, name in POINTERS)}, {scalars}"
    call = made.call or "{name}<<<{grid}, {block}, {dynamic}>>>({arguments});"
    if made.cooperative:
        call = f"launches.cooperative({{name}}, {{grid}}, {{block}}, {{dynamic}}, {scalars});"
    call = call.format(name=made.name, grid=grid, block=block, dynamic=dynamic, arguments=arguments, size=launch.size)
    return f'  {{ {setup}{call} launches.end("{made.name} {order}"); }}'
