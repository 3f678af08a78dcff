# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs for the programs of Rodinia: random, the same at every call, in the shape of the files it comes with."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

__all__ = ["make_inputs"]

NODES, DEGREE = 1 << 18, 6
HURRICANE = "{0:4d} {1:2d} {2:2d} {3:2d} {4:2d} {5:<11}{6:<5.1f}{7:5.1f}{8:5d}{9:5d}"


def write(path: Path, lines: Iterable[object]) -> None:
    """A file of one line for each thing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(str, lines)) + "\n")


def graph(draw: random.Random) -> Iterable[object]:
    """For bfs: nodes with their first edge and degree, the source, edges with their cost."""
    yield NODES
    yield from (f"{node * DEGREE} {DEGREE}" for node in range(NODES))
    yield 0
    yield NODES * DEGREE
    yield from (f"{draw.randrange(NODES)} 1" for _ in range(NODES * DEGREE))


def points(draw: random.Random, count: int, features: int) -> Iterable[str]:
    """For kmeans: a number and so many features a line."""
    for number in range(count):
        yield " ".join([str(number), *(f"{draw.random():.3f}" for _ in range(features))])


def hurricanes(draw: random.Random, count: int) -> Iterable[str]:
    """For nn: records of 49 bytes; latitude and longitude stand in columns 28 to 38."""
    for _ in range(count):
        place = draw.uniform(7, 70), draw.uniform(0, 358)
        yield HURRICANE.format(draw.randrange(1950, 2004), 3, 22, 0, 7, "ALBERTO", *place, 129, 899)


def temperatures(draw: random.Random, count: int) -> Iterable[str]:
    """For hotspot: kelvins."""
    return (f"{draw.uniform(323, 341):.6f}" for _ in range(count))


def powers(draw: random.Random, count: int) -> Iterable[str]:
    """For hotspot: watts."""
    return (f"{draw.uniform(0, 0.02):.6f}" for _ in range(count))


def make_inputs(folder: Path) -> None:
    """Write all inputs that can be made up below `folder`; those of cfd and myocyte cannot."""
    draw = random.Random(1)
    write(folder / "bfs/graph.txt", graph(draw))
    write(folder / "kmeans/points.txt", points(draw, 10000, 34))
    write(folder / "hotspot/temp_512", temperatures(draw, 1 << 18))
    write(folder / "hotspot/power_512", powers(draw, 1 << 18))
    write(folder / "hotspot3D/temp_128x8", temperatures(draw, 1 << 17))
    write(folder / "hotspot3D/power_128x8", powers(draw, 1 << 17))
    write(folder / "b+tree/keys.txt", [100000, *range(100000)])
    write(folder / "b+tree/commands.txt", ["j 6000 3000", "", "k 10000", ""])
    names = [f"cane4_{number}.db" for number in range(4)]
    for name in names:
        write(folder / "nn" / name, hurricanes(draw, 10691))
    write(folder / "nn/filelist.txt", names)
    pixels = (str(draw.randrange(256)) for _ in range(502 * 458))
    write(folder / "srad/image.pgm", ["P2", "458 502", "255", *pixels])
