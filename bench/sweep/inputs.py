# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Make an input file whose format is simple, for a program whose own inputs are not in its checkout.

    inputs.py KIND SIZE... > FILE

What is made is the same each time. Only formats that say nothing of the world are here: a program that is judged by
results for one particular file gets none.
"""

from __future__ import annotations

import random
import struct
import sys
from collections.abc import Callable, Iterable


def bitmap(width: int, height: int) -> bytes:
    """A BMP image of 24 bits a pixel, noise; `width` is a multiple of 4."""
    pixels = random.randbytes(3 * width * height)
    header = struct.pack("<2sIHHI", b"BM", 54 + len(pixels), 0, 0, 54)
    return header + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(pixels), 2835, 2835, 0, 0) + pixels


def numbers(count: int, low: int, high: int, each: int = 1) -> bytes:
    """Lines of `each` numbers in [low, high)."""
    return lines(" ".join(f"{random.uniform(low, high):.6f}" for _ in range(each)) for _ in range(count))


def table(rows: int, columns: int) -> bytes:
    """Lines of a row's number and its values."""
    return lines(" ".join([str(row), *(f"{random.random():.6f}" for _ in range(columns))]) for row in range(rows))


def labelled(rows: int, columns: int) -> bytes:
    """LIBSVM's format: a label, then COLUMN:VALUE for about half of the columns. The label follows from the values."""

    def row() -> str:
        chosen = {column: random.uniform(-1, 1) for column in range(1, columns + 1) if random.random() < 0.5}
        cells = [f"{column}:{value:.6f}" for column, value in {1: 0.5, **chosen, columns: 0.5}.items()]
        return " ".join(["+1" if sum(chosen.values()) > 0 else "-1", *cells])

    return lines(row() for _ in range(rows))


def clusters(count: int, dimensions: int, clusters: int, comma: int = 1) -> bytes:
    """Points that lie within 3 of 100, 200, ... on every axis; `comma` 1: between the coordinates, else a space."""
    centres = [100 * (1 + point % clusters) for point in range(count)]
    between = "," if comma else " "
    return lines(between.join(f"{c + random.uniform(-3, 3):.4f}" for _ in range(dimensions)) for c in centres)


def centres(clusters: int, dimensions: int) -> bytes:
    """What `clusters` lie about."""
    return lines(",".join([str(100 * (1 + cluster))] * dimensions) for cluster in range(clusters))


def letters(count: int) -> bytes:
    """Nucleotides."""
    return "".join(random.choices("ACGT", k=count)).encode()


def fasta(count: int, length: int) -> bytes:
    """Sequences of nucleotides, every second one almost as the one before."""

    def sequences() -> list[str]:
        found: list[str] = []
        for number in range(count):
            text = letters(length).decode() if number % 2 == 0 else found[-1][:-2] + "AC"
            found.append(text)
        return found

    return lines(f">s{number}\n{text}" for number, text in enumerate(sequences()))


def image(side: int) -> bytes:
    """`side` * `side` floats: faint noise, and a peak in the middle."""
    values = [random.uniform(0, 0.01) for _ in range(side * side)]
    values[side // 2 * side + side // 2] = 1.0
    return struct.pack(f"<{len(values)}f", *values)


def doubles(count: int) -> bytes:
    """Doubles that differ little from one to the next."""
    return struct.pack(f"<{count}d", *(1000 + 0.5 * (number % 64) for number in range(count)))


def graph(nodes: int, edges: int) -> bytes:
    """ECL's format: counts, where each node's neighbours begin, the neighbours, the weights."""
    neighbours = [sorted(random.sample(range(nodes), edges)) for _ in range(nodes)]
    begins = [edges * node for node in range(nodes + 1)]
    weights = [random.randint(1, 99) for _ in range(nodes * edges)]
    words = [nodes, nodes * edges, *begins, *(end for ends in neighbours for end in ends), *weights]
    return struct.pack(f"<{len(words)}i", *words)


def matrix(rows: int, each: int) -> bytes:
    """Matrix Market's coordinates of a square matrix with `each` values a row."""
    head = ["%%MatrixMarket matrix coordinate real general", f"{rows} {rows} {rows * each}"]
    cells = ((row, column) for row in range(1, rows + 1) for column in sorted(random.sample(range(1, rows + 1), each)))
    return lines([*head, *(f"{row} {column} {random.uniform(-1, 1):.6f}" for row, column in cells)])


def raw_array(rows: int, columns: int, frames: int) -> bytes:
    """The format RawArray: complex numbers of float, a disc that changes from frame to frame."""
    sizes = (rows, columns, frames)
    count = rows * columns * frames
    head = struct.pack("<8Q", 0x7961727261776172, 0, 4, 8, 8 * count, 3, rows, columns) + struct.pack("<Q", frames)

    def value(place: int) -> float:
        frame, rest = divmod(place, rows * columns)
        y, x = divmod(rest, rows)
        inside = (x - rows / 2) ** 2 + (y - columns / 2) ** 2 < (rows / 4) ** 2
        return (1 + frame / sizes[2]) if inside else 0.0

    return head + struct.pack(f"<{2 * count}f", *(part for place in range(count) for part in (value(place), 0.0)))


def symmetric(rows: int, each: int) -> bytes:
    """The lower half of a symmetric, positive definite matrix in Matrix Market's coordinates: a strong diagonal."""
    below = [(row, column) for row in range(2, rows + 1) for column in random.sample(range(1, row), min(each, row - 1))]
    cells = sorted([*below, *((row, row) for row in range(1, rows + 1))], key=lambda cell: (cell[1], cell[0]))
    values = ((row, column, 4 * each if row == column else random.uniform(-1, 1)) for row, column in cells)
    head = ["%%MatrixMarket matrix coordinate real symmetric", f"{rows} {rows} {len(cells)}"]
    return lines([*head, *(f"{row} {column} {value:.6f}" for row, column, value in values)])


def lines(texts: Iterable[str]) -> bytes:
    """Each with an end of line."""
    return "".join(f"{text}\n" for text in texts).encode()


KINDS: dict[str, Callable[..., bytes]] = {
    made.__name__: made
    for made in (
        bitmap, numbers, table, labelled, clusters, centres, letters, fasta, image, doubles, graph, matrix,
        raw_array, symmetric,
    )
}  # fmt: skip


def main(arguments: list[str]) -> int:
    """Write one file to stdout."""
    if not arguments or arguments[0] not in KINDS:
        print(f"usage: inputs.py {'|'.join(KINDS)} SIZE...", file=sys.stderr)
        return 2
    random.seed(1)
    sys.stdout.buffer.write(KINDS[arguments[0]](*(int(word) for word in arguments[1:])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
