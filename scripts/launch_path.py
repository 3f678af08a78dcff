# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write runtime/launch_path.txt: the functions that a launch and a wait for it run, in the order in which they do, and
the small variables that they read.

    python scripts/launch_path.py

The linker puts them side by side: after some milliseconds without work a launch finds neither its code nor the
translation of its pages in any cache, and most of what it takes then is to fetch those. A program is traced under
valgrind; the last of its launches count.
"""

from __future__ import annotations

import bisect
import re
import subprocess
import sys
import tempfile
from collections import deque
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "src" / "warploom" / "runtime" / "launch_path.txt"
TRACED = 600_000  # memory accesses, of the program's last launches
SMALL = 64  # bytes of a variable that goes beside others: flags, pointers to what is made once
PROGRAM = """
#include <unistd.h>
#include <cstdio>
__global__ void step(float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] * 0.5f + 1;
}
int main() {
  printf("%p\\n", reinterpret_cast<void *>(&main));
  fflush(stdout);
  float *y = nullptr;
  cudaMalloc(&y, 1 << 14);
  for (int i = 0; i < 100; ++i) {
    const int n = i % 2 == 0 ? 1 : 1 << 12;
    step<<<(n + 255) / 256, 256>>>(y, n);
    cudaDeviceSynchronize();
  }
  _exit(cudaGetLastError());  // nothing that runs at the end is wanted
}
"""
# Under valgrind no launch is short, and members of the team come too late.
ALSO = re.compile(
    r"_ZN8warploom(4Turn[CD]2|6Member|3Job|4Team|12_GLOBAL__N_1(15others_are_idle|23blocking_lanes_are_idle|9run_timed))"
)
# What it runs instead: the way through the queue, and members' own code, lie behind what a short launch runs.
BEHIND = re.compile(
    r"Queue|OwnedGrid|4Task|4Lane(?!E$)|6finish|4push|7execute|3runENS_4Item|11call_driver|12wake_watcher|9lock_soon"
    r"|14leave_the_rest|10StreamWork|9lock_queue|6Member"
)
FIRST = "__cudaPushCallConfiguration"
CODE = "tTwW"  # kinds of symbols, as nm has them
OURS = re.compile(r"_ZG?[A-Z]*N8warploom")  # variables of the runtime
# The program's own.
NOT_OURS = re.compile(r"^(main|_init|_fini|_start|__do_global|__cxx_global|.*__device_stub__|.*step)")


def symbols(program: Path, kinds: str) -> list[tuple[int, str]]:
    """Addresses and names of its symbols of these kinds, in order; of variables the small ones."""
    listed = subprocess.run(["nm", "-S", "--defined-only", program], capture_output=True, text=True, check=True)
    found: list[tuple[int, str]] = []
    for line in listed.stdout.splitlines():
        match = re.match(r"(\w+) (?:(\w{2,}) )?(\w) (.*)", line)  # what is written in assembly has no size
        if match and match[3] in kinds and (match[3] in CODE or int(match[2] or "0", 16) <= SMALL):
            found.append((int(match[1], 16), match[4]))
    return sorted(found)


def trace(program: Path) -> tuple[int, list[int], list[int]]:
    """The address of main as it runs, and those of its last instructions and of what they read and wrote."""
    words = ["valgrind", "--tool=lackey", "--trace-mem=yes", program]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={"WARPLOOM_NUM_THREADS": "2"}
    )
    assert process.stdout is not None
    assert process.stderr is not None
    last = deque(process.stderr, maxlen=TRACED)
    main = int(process.stdout.readline(), 16)
    if process.wait() != 0:
        raise SystemExit("the traced program failed")
    found = [re.match(r"(I| L| S| M) +([0-9a-f]+),", line) for line in last]
    places = [(each[1], int(each[2], 16)) for each in found if each]
    return main, [at for what, at in places if what == "I"], [at for what, at in places if what != "I"]


def names_at(addresses: list[int], known: list[tuple[int, str]]) -> list[str]:
    """The symbols that the addresses lie in or behind, each once, in order of the addresses."""
    starts = [address for address, _ in known]
    ran: dict[str, None] = {}
    for address in addresses:
        index = bisect.bisect_right(starts, address) - 1
        if index >= 0 and address < starts[-1]:
            ran[known[index][1]] = None
    return list(ran)


def variables_at(addresses: list[int], known: list[tuple[int, str]]) -> list[str]:
    """The small variables that were read or written."""
    places = dict(known)
    return list(dict.fromkeys(places[address] for address in addresses if address in places))


def main() -> None:
    """Write the list."""
    with tempfile.TemporaryDirectory() as name:
        source, program = Path(name, "program.cu"), Path(name, "program")
        source.write_text(PROGRAM)
        flags = ["-O3", "--cpu=x86-64-v3", "-cudart=static"]  # valgrind knows no wider vectors
        subprocess.run([sys.executable, "-m", "warploom.cli.warpcc", *flags, source, "-o", program], check=True)
        known, variables = symbols(program, CODE), symbols(program, "bBdDrRuV")
        subprocess.run(["strip", "-g", program], check=True)  # nor clang's debugging information
        begin, addresses, accesses = trace(program)
    offset = begin - next(address for address, name in known if name == "main")
    ran = names_at([address - offset for address in addresses], known)
    read = [name for name in variables_at([at - offset for at in accesses], variables) if OURS.match(name)]
    names = [*ran, *(name for _, name in known if ALSO.match(name) and name not in ran)]
    begin = names.index(FIRST)
    names = [name for name in names[begin:] + names[:begin] if not NOT_OURS.match(name)]
    names.sort(key=lambda name: BEHIND.search(name) is not None)
    LIST.write_text("".join(f"{name}\n" for name in [*names, *read]))


if __name__ == "__main__":
    main()
