# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write include/warploom/math_float_polynomials.h: those polynomials of runtime/vector_math/coefficients.h that the
headers of device code compute in float.

    python scripts/device_polynomials.py [--check]        --check: fail where the header is not up to date
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "warploom"
COEFFICIENTS = PACKAGE / "runtime" / "vector_math" / "coefficients.h"
OUTPUT = PACKAGE / "include" / "warploom" / "math_float_polynomials.h"
NAMES = ("erfinv_near", "erfinv_far", "erfcinv_tail", "erfcx", "erf")
HEADER = """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by scripts/device_polynomials.py from runtime/vector_math/coefficients.h: do not edit. Without loops, so that
// threads side by side compute them as vectors.
#pragma once

#include "function_attributes.h"

// clang-format off
"""
FOOTER = "// clang-format on\n"
ARRAY = re.compile(r"// (?P<comment>[^\n]*)\nconstexpr float (?P<name>\w+)_f32\[\] = \{(?P<words>[^}]*)\};")


def function(name: str, comment: str, words: list[str]) -> str:
    """By Horner's rule, from the highest coefficient down."""
    highest, *rest = reversed(words)
    steps = [f"  sum = __builtin_fmaf(sum, z, {word});" for word in rest]
    head = f"__WARPLOOM_HOST_DEVICE float __warploom_polynomial_{name}(float z) {{"
    return "\n".join([f"// {comment}", head, f"  float sum = {highest};", *steps, "  return sum;", "}", ""])


def header(coefficients: str) -> str:
    """What the header is for this text of coefficients.h."""
    arrays = {
        each["name"]: (each["comment"], [word.strip() for word in each["words"].split(",") if word.strip()])
        for each in ARRAY.finditer(coefficients)
    }
    return "\n".join([HEADER, *(function(name, *arrays[name]) for name in NAMES), FOOTER])


def main() -> int:
    made = header(COEFFICIENTS.read_text())
    if "--check" not in sys.argv[1:]:
        OUTPUT.write_text(made)
        return 0
    if OUTPUT.read_text() == made:
        return 0
    print(f"{OUTPUT.name} is not up to date: run scripts/device_polynomials.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
