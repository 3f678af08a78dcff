# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of PyTorch's database agree with the CPU: operator_database.py, in a process of its own.

Every sixteenth by default; all of them, which takes minutes, with WARPLOOM_TORCH_OPERATORS=all, as `make torch` has it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ALL = os.environ.get("WARPLOOM_TORCH_OPERATORS") == "all"
STEP, LEAST = (1, {"forward": 631, "gradients": 502}) if ALL else (16, {"forward": 36, "gradients": 28})
# What PyTorch's CUDA refuses in the same way (indices on the device).
KNOWN = {"tensor_split"}


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("what", LEAST)
def test_operators_agree_with_the_cpu(what: str) -> None:
    pytest.importorskip("expecttest")
    program = Path(__file__).with_name("operator_database.py")
    # Threads of OpenMP spin where processors are shared.
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "ignore", str(program), what, str(STEP)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout.splitlines()[-1])
    assert {name: why for name, why in found["failed"].items() if name not in KNOWN} == {}
    assert found["counts"]["agrees"] >= LEAST[what], found["counts"]
