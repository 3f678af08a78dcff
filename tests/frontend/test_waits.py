# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that wait for another thread are told from those that only try again, as clang writes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing import cleaned

from warploom.core.remarks import Unsupported
from warploom.frontend.importer import import_kernel

PROGRAMS = Path(__file__).resolve().parents[1] / "programs"


def waiting(folder: Path, program: str) -> dict[str, str]:
    """For each kernel of a program, by name, where it waits: in a loop of its own, in a function; empty: nowhere."""
    text = (PROGRAMS / program).read_text().replace('#include "check.h"', f'#include "{PROGRAMS}/check.h"')
    device = cleaned(folder, text)
    found: dict[str, str] = {}
    for kernel in device.kernels:
        try:
            function = import_kernel(device, kernel)
            found[kernel.name] = "in a loop" if function.facts.waits else ""
        except Unsupported as problem:
            found[kernel.name] = problem.reason
    return found


def test_a_wait_with_another_way_out_is_a_wait(tmp_path: Path) -> None:
    found = waiting(tmp_path, "waits_with_a_way_out.cu")
    assert len(found) == 23
    in_functions = [name for name, where in found.items() if "may wait in a loop for another thread" in where]
    assert len(in_functions) == 1
    assert [name for name, where in found.items() if where != "in a loop"] == in_functions


def test_retries_are_none(tmp_path: Path) -> None:
    found = waiting(tmp_path, "retries.cu")
    assert len(found) == 12
    assert {name: reason for name, reason in found.items() if reason} == {}


ONCE = """
__global__ void k(unsigned *keys, unsigned *other, unsigned key, unsigned mask) {{
  unsigned slot = threadIdx.x & mask;
  while (true) {{
    unsigned before = atomicCAS(&keys[slot], 0u, key);
    if (before == 0 || before == key) break;
    slot = (slot + 1) & mask;
  }}
  {after}
}}"""


@pytest.mark.parametrize(
    ("after", "waits"),
    [
        ("other[slot] = 0;", False),
        ("keys[slot] = 7;", False),
        ("keys[slot] = 0;", True),
        ("keys[slot] = other[slot];", True),
        ("atomicExch(&keys[slot], 0u);", True),
        ("atomicCAS(&keys[slot], key, 0u);", True),
        ("memset(keys, 0, 4 * mask);", True),
    ],
)
def test_places_are_taken_once_unless_the_kernel_gives_them_back(tmp_path: Path, after: str, waits: bool) -> None:
    device = cleaned(tmp_path, ONCE.format(after=after))
    assert import_kernel(device, device.kernels[0]).facts.waits == waits
