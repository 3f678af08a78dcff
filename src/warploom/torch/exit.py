# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The end of a process waits until autograd's threads have let go of what they computed with.

    loss.backward()                      # on a thread of autograd, which the device has
    sys.exit()                           # that thread may still be giving back the graph, and Python's objects in it

Whoever called `backward` goes on when the gradients are there, and the thread gives back the graph afterwards. Where it
needs the interpreter for that, and that one has begun to end, Python ends the thread in the middle of C++ code, which
aborts the process: on one processor about one script in ten. The CPU device has no such threads.
"""

from __future__ import annotations

import time
from pathlib import Path

_THREADS = "pt_autograd_"
_TASKS = Path("/proc/self/task")
_PAUSE = 0.001  # seconds, in which a thread that waits for the interpreter gets it
_LONGEST = 2.0  # seconds: what else such a thread may be in is not waited for


def wait_for_autograd(tasks: Path = _TASKS) -> None:
    """Return when the threads of autograd wait for work: twice in a row, as one may have waited for the interpreter."""
    end, idle = time.monotonic() + _LONGEST, 0
    while idle < 2 and time.monotonic() < end:
        states = [state for each in tasks.glob("*") if (state := _state_of(each))]
        if not states:
            return
        idle = idle + 1 if all(state == "S" for state in states) else 0
        time.sleep(_PAUSE)


def _state_of(task: Path) -> str:
    """The state letter of a thread of autograd; empty for other threads, and for one that has ended."""
    try:
        name, _, rest = (task / "stat").read_text().partition("(")[2].rpartition(")")
    except OSError:
        return ""
    return rest.split()[0] if name.startswith(_THREADS) else ""
