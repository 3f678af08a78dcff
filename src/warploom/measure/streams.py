# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What streams side by side gain: kernels of one block in several streams, against one stream alone."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from warploom.measure.builds import Builder
from warploom.measure.launch_cost import cuda_program, lines_of
from warploom.measure.runs import Plan, pinned

SOURCE = "streams"


def table(builder: Builder, plan: Plan) -> str:
    """Markdown: a line for each length of a kernel and number of streams."""
    program = cuda_program(builder, SOURCE)
    with pinned(plan.cores):
        rounds = [lines_of("Warploom", program, plan) for _ in range(plan.rounds)]
    lines = [f"{len(plan.cores)} cores, kernels of one block, medians of {plan.rounds} rounds", ""]
    lines += [
        "| a kernel takes, us | streams | work in the time of one stream | a launch, us |",
        "|---:|---:|---:|---:|",
    ]
    for same in zip(*rounds, strict=True):
        first: Mapping[str, float] = same[0]
        gain, launch = (statistics.median(each[key] for each in same) for key in ("gain", "launch_us"))
        lines.append(f"| {first['kernel_us']:,} | {first['streams']} | {gain:.2f} times | {launch:.2f} |")
    return "\n".join(lines)
