# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write runtime/vector_math/coefficients.h, the polynomials of the vector math library, and device headers' part of it.

Each is the minimax polynomial for a weighted error, found by Remez's exchange on a fine Chebyshev grid with 60 digits
(W. Fraser, "A survey of methods of computing minimax and near-minimax polynomial approximations", JACM 12, 1965). The
lowest coefficients are rounded to the type one at a time, and the rest is fitted again after each, as long as that
helps. Needs mpmath:

    python scripts/fit_polynomials.py [NAME...]       NAME: fit these only, and leave the others
"""

from __future__ import annotations

import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

import device_polynomials
from mpmath import mp, mpf
from polynomial_table import POLYNOMIALS, Polynomial

OUTPUT = Path(__file__).resolve().parent.parent / "src/warploom/runtime/vector_math/coefficients.h"
HEADER = """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by scripts/fit_polynomials.py from the table in scripts/polynomial_table.py: do not edit.
// Lowest coefficient first; the comment gives the largest weighted error, as a power of two.
#pragma once

// clang-format off
namespace warploom_math {"""
FOOTER = """\
}  // namespace warploom_math
// clang-format on
"""
ROUNDS = 12
REFITS = 2  # beyond, rounding hardly matters
LEVEL = mpf(1.02)  # a largest error this near to the levelled one is as good as minimal
GRID = 24  # points for each coefficient


@dataclass
class Samples:
    """A weighted target on a grid: the error of a polynomial p is weight * (p(z) - value)."""

    z: list[mpf]
    value: list[mpf]
    weight: list[mpf]  # not negative: the alternation theorem needs that on both sides of 0


def rounded(value: mpf, kind: str) -> mpf:
    """`value` as the nearest float or double."""
    if kind == "f64":
        return mpf(float(value))
    return mpf(struct.unpack("f", struct.pack("f", float(value)))[0])


def sampled(poly: Polynomial) -> Samples:
    """The target on a Chebyshev grid."""
    count = GRID * (poly.terms + 1)
    low, high = mpf(poly.low), mpf(poly.high)
    nodes = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / count) for i in range(count + 1)]
    # Around 0 targets are limits, and weights vanish: such points would only make the exchange ill-conditioned.
    nodes = [z for z in nodes if abs(z) > (high - low) * mpf(10) ** -4]
    return Samples(nodes, [poly.target(z) for z in nodes], [abs(poly.weight(z)) for z in nodes])


def remez(samples: Samples, terms: int) -> tuple[list[mpf], mpf]:
    """The minimax coefficients and the largest weighted error."""
    last = len(samples.z) - 1
    reference = [round(i * last / terms) for i in range(terms + 1)]
    best: tuple[list[mpf], mpf] | None = None
    for _ in range(ROUNDS):
        matrix = mp.matrix(terms + 1, terms + 1)
        right = mp.matrix(terms + 1, 1)
        for row, point in enumerate(reference):
            power = samples.weight[point]
            right[row] = power * samples.value[point]
            for column in range(terms):
                matrix[row, column] = power
                power *= samples.z[point]
            matrix[row, terms] = (-1) ** row
        solution = mp.lu_solve(matrix, right)
        coefficients = [solution[i] for i in range(terms)]
        errors = errors_of(samples, coefficients)
        largest = max(abs(error) for error in errors)
        if best is None or largest < best[1]:
            best = coefficients, largest
        exchanged = extrema(errors, terms + 1)
        if exchanged is None or exchanged == reference or largest < abs(solution[terms]) * LEVEL:
            break
        reference = exchanged
    assert best is not None
    return best


def errors_of(samples: Samples, coefficients: list[mpf]) -> list[mpf]:
    """The weighted error at each point."""
    points = zip(samples.z, samples.value, samples.weight, strict=True)
    return [w * (horner(coefficients, z) - v) for z, v, w in points]


def horner(coefficients: list[mpf], z: mpf) -> mpf:
    """The polynomial at z, lowest coefficient first."""
    total = mpf(0)
    for coefficient in reversed(coefficients):
        total = total * z + coefficient
    return total


def extrema(errors: list[mpf], count: int) -> list[int] | None:
    """The largest error of each run of one sign, as many as `count`; None when there are fewer runs."""
    runs: list[int] = []
    for i, error in enumerate(errors):
        if runs and (errors[runs[-1]] < 0) == (error < 0):
            if abs(error) > abs(errors[runs[-1]]):
                runs[-1] = i
        else:
            runs.append(i)
    while len(runs) > count:
        runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
    return runs if len(runs) == count else None


def fit(poly: Polynomial) -> tuple[list[mpf], mpf]:
    """The coefficients, rounded to the type, and their largest weighted error."""
    samples = sampled(poly)
    first = len(poly.fixed)
    candidates = [refitted(poly, samples, first + count) for count in range(min(REFITS, poly.terms - first) + 1)]
    return min(candidates, key=lambda candidate: candidate[1])


def refitted(poly: Polynomial, samples: Samples, count: int) -> tuple[list[mpf], mpf]:
    """As `fit`, with the rest fitted again after each of the first `count` coefficients is rounded."""
    chosen = [rounded(mpf(value), poly.kind) for value in poly.fixed]
    left = samples
    for value in chosen:
        left = without(left, value)
    while len(chosen) < count:
        coefficients, _ = remez(left, poly.terms - len(chosen))
        chosen.append(rounded(coefficients[0], poly.kind))
        left = without(left, chosen[-1])
    if len(chosen) < poly.terms:
        chosen += [rounded(value, poly.kind) for value in remez(left, poly.terms - len(chosen))[0]]
    return chosen, max(abs(error) for error in errors_of(samples, chosen))


def without(samples: Samples, constant: mpf) -> Samples:
    """What is left to fit once the constant term is chosen: (target - constant) / z."""
    left = [(v - constant) / z for v, z in zip(samples.value, samples.z, strict=True)]
    return Samples(samples.z, left, [w * abs(z) for w, z in zip(samples.weight, samples.z, strict=True)])


def block(poly: Polynomial, coefficients: list[mpf], error: mpf) -> str:
    """The array of one polynomial."""
    type_, suffix = ("float", "f") if poly.kind == "f32" else ("double", "")
    words = [f"{float(value).hex()}{suffix}" for value in coefficients]
    lines = [f"// {poly.comment}, 2^{float(mp.log(error, 2)):.1f}", f"constexpr {type_} {key(poly)}[] = {{"]
    lines += ["    " + ", ".join(words[i : i + 4]) + "," for i in range(0, len(words), 4)]
    return "\n".join([*lines, "};"])


def key(poly: Polynomial) -> str:
    """The name of the array."""
    return f"{poly.name}_{poly.kind}"


def main() -> None:
    """Fit the polynomials that the command line names, or all, and write the header."""
    mp.dps = 60
    names = sys.argv[1:]
    blocks: dict[str, str] = {}
    if names:  # the others stay
        for text in OUTPUT.read_text().split("\n\n"):
            found = re.search(r"constexpr \w+ (\w+)\[", text)
            if found:
                blocks[found.group(1)] = text
    for poly in POLYNOMIALS:
        if not names or poly.name in names:
            coefficients, error = fit(poly)
            blocks[key(poly)] = block(poly, coefficients, error)
            print(f"{key(poly)}: {poly.terms} terms, 2^{float(mp.log(error, 2)):.1f}", file=sys.stderr, flush=True)
    ordered = [blocks[key(poly)] for poly in POLYNOMIALS]
    OUTPUT.write_text("\n\n".join([HEADER, *ordered, FOOTER]))
    device_polynomials.OUTPUT.write_text(device_polynomials.header(OUTPUT.read_text()))


if __name__ == "__main__":
    main()
