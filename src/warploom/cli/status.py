# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a command ends: a mistake is one message, an interrupt is silent, and both have an exit status."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import nullcontext

from warploom.core.garbage import seldom_collecting_to_the_end
from warploom.diagnostics import Diagnostic, format_diagnostic
from warploom.scratch import INTERRUPTED, end_at_once_when_interrupted


def status_of(command: Callable[[], int], *, whole_process: bool) -> int:
    """Run a command; the exit status. With `whole_process` it is all that this process does."""
    if whole_process:
        end_at_once_when_interrupted()
    try:
        with seldom_collecting_to_the_end() if whole_process else nullcontext():
            return command()
    except Diagnostic as diagnostic:
        print(format_diagnostic(diagnostic), file=sys.stderr)
        return diagnostic.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`| head`): nothing is left to say, and Python must not flush stdout again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
