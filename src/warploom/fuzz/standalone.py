# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs for a machine with nvcc and a GPU: sources, what they must print, and a script that runs them.

    NAME.cu         a program, compiled by itself
    NAME.flags      how
    NAME.expected   its output as judge.py computes it; none for kernels that only running them can tell of
    run.sh          compiles and runs all, in parallel; NAME.out is what each printed; one line of totals

Of outputs without an expectation the MD5 sum is printed, to be compared with that of what an engine prints.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from warploom.fuzz.generate import program
from warploom.fuzz.judge import expected_lines
from warploom.fuzz.text import program_text

Chunk = tuple[str, int, int]  # kind, number of the first kernel, how many

SCRIPT = """\
#!/bin/sh
# run.sh [NVCC [FLAG...]]: compiles every program here for the GPU of this machine, runs it, compares what it prints.
# The whole of a program is loaded at its start: a kernel that is loaded later may wait for those that run, and some of
# them wait for it.
cd "$(dirname "$0")" || exit 1
export CUDA_MODULE_LOADING=EAGER
[ "$1" = --one ] && {
  name=$2; shift 2
  "$@" $(cat "$name.flags") -arch=native -o "$name.exe" "$name.cu" 2> "$name.log" &&
    timeout 20 "./$name.exe" > "$name.out" 2>> "$name.log"
  status=$?
  rm -f "$name.exe"
  [ $status = 0 ] || { echo "$name: failed with $status: $(tail -n 1 "$name.log")"; exit 0; }
  [ -f "$name.expected" ] || { echo "$name: recorded: $(md5sum < "$name.out" | cut -c 1-32)"; exit 0; }
  if cmp -s "$name.out" "$name.expected"; then echo "$name: right"; exit 0; fi
  echo "$name: wrong: $(diff "$name.out" "$name.expected" | grep '^<' | cut -d ' ' -f 2,3 | tr '\\n' ',')"
  exit 0
}
[ $# = 0 ] && set -- nvcc -O3
ls *.cu | sed 's/[.]cu$//' | xargs -P "$(nproc)" -I NAME sh run.sh --one NAME "$@" > results.txt
sort results.txt | grep -v ': right$'
echo "$(grep -c ': right$' results.txt) right, $(grep -c ': recorded' results.txt) recorded," \\
  "$(grep -c ': wrong' results.txt) wrong, $(grep -c ': failed' results.txt) failed"
"""


def write_programs(folder: Path, seed: int, chunks: Iterable[Chunk]) -> None:
    """Write each chunk's program."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind, first, count in chunks:
        made = program(seed, first, count, kind)
        name = f"{kind}-{seed}-{first}"
        folder.joinpath(f"{name}.cu").write_text(program_text(made))
        folder.joinpath(f"{name}.flags").write_text(" ".join(made.flags) + "\n")
        if lines := expected_lines(made):
            text = "".join(f"{launch} {sums}\n" for launch, sums in lines.items())
            folder.joinpath(f"{name}.expected").write_text(text)
    folder.joinpath("run.sh").write_text(SCRIPT)
