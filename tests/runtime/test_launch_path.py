# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a launch runs lies side by side in the runtime's library."""

from __future__ import annotations

import subprocess

from warploom.runtime_library import LIBRARY, SOURCES, toolkit
from warploom.toolchain import find_toolchain

# Bytes that these functions may be spread over: a third of the pages that they touch elsewhere.
MOST = 80 * 1024
# And what of their variables begins as zeros: five pages more elsewhere.
MOST_VARIABLES = 1024


def test_functions_of_a_launch_are_neighbours() -> None:
    """Nearly all that are listed exist: who renames many runs scripts/launch_path.py."""
    tools = find_toolchain()
    library = toolkit(tools) / "lib64" / LIBRARY
    listed = subprocess.run(["nm", "--defined-only", library], capture_output=True, text=True, check=True)
    found = {words[2]: (int(words[0], 16), words[1]) for words in map(str.split, listed.stdout.splitlines())}
    names = (SOURCES / "launch_path.txt").read_text().split()
    missing = [name for name in names if name not in found]
    assert len(missing) <= len(names) // 8, missing
    for kinds, most in (("tTwW", MOST), ("bB", MOST_VARIABLES)):
        places = [found[name][0] for name in names if name in found and found[name][1] in kinds]
        if tools.lld:
            assert max(places) - min(places) < most
