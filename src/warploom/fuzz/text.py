# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of a generated program: a CUDA file that launches every kernel and prints a line of sums a launch."""

from __future__ import annotations

from pathlib import Path

from warploom.fuzz.tree import Kernel, Program, render_body

PRELUDE = Path(__file__).with_name("prelude.cuh")
POINTERS = (
    ("const i32", "in"), ("u64", "out"), ("u32", "counters"), ("i32", "scratch"), ("const f32", "x"), ("u8", "own"),
)  # fmt: skip


def program_text(made: Program, note: str = "") -> str:
    """The program as one file; `note` goes to its first line."""
    head = [f"// {note}"] if note else []
    kernels = [kernel_text(each) for each in made.kernels]
    launches = [launch_text(each, order) for each in made.kernels for order in range(len(each.launches))]
    main = ["int main() {", "  Launches launches;", "  Device d = launches.device;", *launches, "}"]
    return "\n".join([*head, PRELUDE.read_text(), *kernels, *main, ""])


def kernel_text(made: Kernel) -> str:
    """One `__global__` function."""
    star = "*__restrict__ " if made.restrict else "*"
    parameters = ", ".join([*(f"{type_} {star}{name}" for type_, name in POINTERS), "u32 n, u32 a, f32 f"])
    head = [f"__global__ void {made.name}({parameters}) {{", *(f"  {line}" for line in made.declarations)]
    return "\n".join([*head, render_body(made.body) + "}", ""])


def launch_text(made: Kernel, order: int) -> str:
    """One launch of a kernel, between the two calls that clear memory and print sums."""
    launch = made.launches[order]
    dynamic, own = made.dynamic * launch.threads, made.own * launch.size
    grid, block = (f"dim3({', '.join(map(str, size))})" for size in (launch.grid, launch.block))
    setup = f"launches.begin({own or ''}); "
    if not launch.constant:
        setup += f"u32 x = unknown({launch.block[0]}); "
        block = f"dim3(x, {launch.block[1]}, {launch.block[2]})"
    scalars = f"{launch.n}u, {launch.a}u, {launch.f}f"
    call = f"launches.cooperative({made.name}, {grid}, {block}, {dynamic}, {scalars});"
    if not made.cooperative:
        pointers = ", ".join(f"d.{name}" for _, name in POINTERS)
        call = f"{made.name}<<<{grid}, {block}, {dynamic}>>>({pointers}, {scalars});"
    return f'  {{ {setup}{call} launches.end("{made.name} {order}"); }}'
