# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write runtime/vector_math/coefficients.h: the polynomials of the vector math library.

Each is the minimax polynomial for a weighted error, found by Remez's exchange on a fine Chebyshev grid with 60 digits
(W. Fraser, "A survey of methods of computing minimax and near-minimax polynomial approximations", JACM 12, 1965). The
lowest coefficients are rounded to the type one at a time, and the rest is fitted again after each, so that rounding
costs next to nothing. Needs mpmath:

    python scripts/fit_polynomials.py [NAME...]       NAME: fit these only and print their errors
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mpmath import mp, mpf

from polynomial_table import POLYNOMIALS, Polynomial

OUTPUT = Path(__file__).resolve().parent.parent / "src/warploom/runtime/vector_math/coefficients.h"
ROUNDS = 40
REFITS = 3  # beyond, rounding matters less than the exchange suffers from the vanishing weights
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
        errors = [
            w * (horner(coefficients, z) - v)
            for z, v, w in zip(samples.z, samples.value, samples.weight, strict=True)
        ]
        largest = max(abs(error) for error in errors)
        if best is None or largest < best[1]:
            best = coefficients, largest
        exchanged = extrema(errors, terms + 1)
        if exchanged is None or exchanged == reference:
            break
        reference = exchanged
    assert best is not None
    return best


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
    """The coefficients, rounded to the type, and the largest weighted error before the last are rounded."""
    samples = sampled(poly)
    fixed = [rounded(mpf(value), poly.kind) for value in poly.fixed]
    for value in fixed:
        samples = without(samples, value)
    refits = min(poly.terms, REFITS)
    error = mpf(0)
    for _ in range(refits - len(fixed)):
        coefficients, error = remez(samples, poly.terms - len(fixed))
        fixed.append(rounded(coefficients[0], poly.kind))
        samples = without(samples, fixed[-1])
    if len(fixed) < poly.terms:
        coefficients, error = remez(samples, poly.terms - len(fixed))
        fixed += [rounded(value, poly.kind) for value in coefficients]
    return fixed, error


def without(samples: Samples, constant: mpf) -> Samples:
    """What is left to fit once the constant term is chosen: (target - constant) / z."""
    left = [(v - constant) / z for v, z in zip(samples.value, samples.z, strict=True)]
    return Samples(samples.z, left, [w * abs(z) for w, z in zip(samples.weight, samples.z, strict=True)])


def emit(results: dict[str, tuple[Polynomial, list[mpf], mpf]]) -> str:
    """The header."""
    lines = [
        "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
        "//",
        "// Made by scripts/fit_polynomials.py from the table in scripts/polynomial_table.py: do not edit.",
        "// Lowest coefficient first; the comment gives the largest weighted error, as a power of two.",
        "#pragma once",
        "",
        "// clang-format off",
        "namespace warploom_math {",
    ]
    for poly, coefficients, error in results.values():
        type_, suffix = ("float", "f") if poly.kind == "f32" else ("double", "")
        words = [f"{float(value).hex()}{suffix}" for value in coefficients]
        bits = float(mp.log(error, 2)) if error else -999.0
        lines += ["", f"// {poly.comment}, 2^{bits:.1f}", f"constexpr {type_} {poly.name}_{poly.kind}[] = {{"]
        lines += ["    " + ", ".join(words[i : i + 4]) + "," for i in range(0, len(words), 4)] + ["};"]
    return "\n".join([*lines, "", "}  // namespace warploom_math", "// clang-format on", ""])


def fitted(wanted: Callable[[Polynomial], bool]) -> dict[str, tuple[Polynomial, list[mpf], mpf]]:
    """Every wanted polynomial, with progress on stderr."""
    results: dict[str, tuple[Polynomial, list[mpf], mpf]] = {}
    for poly in POLYNOMIALS:
        if wanted(poly):
            coefficients, error = fit(poly)
            results[f"{poly.name}_{poly.kind}"] = poly, coefficients, error
            bits = float(mp.log(error, 2)) if error else -999.0
            print(f"{poly.name}_{poly.kind}: {poly.terms} terms, 2^{bits:.1f}", file=sys.stderr)
    return results


def main() -> None:
    """Fit what the command line names, or all, and then write the header."""
    mp.dps = 60
    names = sys.argv[1:]
    if names:
        print(emit(fitted(lambda poly: poly.name in names)))
    else:
        OUTPUT.write_text(emit(fitted(lambda _: True)))


if __name__ == "__main__":
    main()
