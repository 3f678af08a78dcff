# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a process with PyTorch's CUDA device waits for at its end. tests/pytorch ends such processes."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from warploom.torch.exit import wait_for_autograd


def task(folder: Path, number: int, name: str, state: str) -> None:
    """A thread as the system tells of it."""
    (folder / str(number)).mkdir(exist_ok=True)
    (folder / str(number) / "stat").write_text(f"{number} ({name}) {state} 1 2 3\n")


@pytest.mark.parametrize("name", ["python3", "OMP (worker) 1"])
def test_other_threads_are_not_waited_for(tmp_path: Path, name: str) -> None:
    task(tmp_path, 1, name, "R")
    (tmp_path / "2").mkdir()  # one that has ended meanwhile
    began = time.monotonic()
    wait_for_autograd(tmp_path)
    assert time.monotonic() - began < 1


def test_a_thread_of_autograd_is_waited_for_until_it_has_no_work(tmp_path: Path) -> None:
    task(tmp_path, 1, "python3", "R")
    task(tmp_path, 2, "pt_autograd_0", "S")
    task(tmp_path, 3, "pt_autograd_1", "R")
    waiting = threading.Thread(target=wait_for_autograd, args=(tmp_path,))
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    task(tmp_path, 3, "pt_autograd_1", "S")
    waiting.join(1)
    assert not waiting.is_alive()


def test_a_thread_that_never_rests_does_not_hold_up_the_end(tmp_path: Path) -> None:
    task(tmp_path, 1, "pt_autograd_0", "R")
    wait_for_autograd(tmp_path)


def test_the_threads_of_this_process_are_looked_at() -> None:
    wait_for_autograd()
