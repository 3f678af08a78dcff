# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA's tools in the toolkit's bin: each leads to what does its work on a CPU, or says what does.

nvprof, nsys profile -> warploom profile      cuda-gdb -> gdb
cuobjdump, nvdisasm -> objdump, on request
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from warploom.cli import profile
from warploom.cli.status import status_of
from warploom.diagnostics import Diagnostic
from warploom.version import VERSION

USAGE_ERROR = 2
# Options of nvprof and nsys that have a value in the next word, when none stands behind `=`.
NVPROF_VALUES = frozenset(
    "-o --export-profile -m --metrics -e --events --kernels --log-file -u --normalized-time-unit -t --timeout "
    "--devices --unified-memory-profiling --concurrent-kernels --profile-from-start --track-memory-allocations "
    "--aggregate-mode --system-profiling --cpu-profiling --openacc-profiling --openmp-profiling --demangling "
    "-a --source-level-analysis --annotate-mpi --context-name --process-name --stream-name --profile-api-trace "
    "--replay-mode --pc-sampling-period --continuous-sampling-interval --cpu-profiling-mode "
    "--cpu-profiling-scope".split()
)
# Those that ask for what is shown anyway.
NVPROF_TAKEN = frozenset(
    "--csv --log-file --print-gpu-summary --print-summary --print-api-summary --print-nvtx -u -f -q --quiet "
    "--force-overwrite --profile-child-processes --concurrent-kernels --unified-memory-profiling --".split()
)
NSYS_VALUES = frozenset(
    "-o --output -t --trace -s --sample -c --capture-range -d --duration -y --delay -x --stop-on-exit --stats --export "
    "-f --force-overwrite -w --show-output -b --backtrace --cuda-memory-usage --gpu-metrics-device -e --env-var "
    "--stop-on-range-end -n --inherit-environment -p --nvtx-capture --cudabacktrace --cuda-graph-trace --mpi-impl "
    "--kill --sampling-period --session-new -Y --start-later --wait --trace-fork-before-exec --python-backtrace "
    "--osrt-threshold --resolve-symbols --gpu-metrics-devices --gpu-metrics-set".split()
)


def main(name: str, argv: Sequence[str] | None = None) -> int:
    """Be the tool `name`; its exit status."""
    words = sys.argv[1:] if argv is None else list(argv)
    return status_of(lambda: TOOLS[name](words), whole_process=argv is None)


def nvprof(words: Sequence[str]) -> int:
    """The tables of `warploom profile`; `--csv` and `--log-file FILE` go on to it."""
    options, command = split(words, NVPROF_VALUES)
    own: list[str] = []
    if "--csv" in options:
        own += ["--csv", options.pop("--log-file", "-")]
    named = options.pop("-o", None) or options.pop("--export-profile", None)
    if named:
        own += ["--trace", f"{named}.json"]
    note_ignored("nvprof", options.keys() - NVPROF_TAKEN)
    return profiled(own, command, "nvprof PROGRAM [ARGUMENTS]")


def nsys(words: Sequence[str]) -> int:
    """`nsys profile [-o NAME] PROGRAM`: the tables, and with -o a trace for a browser as NAME.json."""
    if words and words[0] in ("--version", "-v"):
        print(f"warploom profile {VERSION}, in place of NVIDIA Nsight Systems")
        return 0
    if not words or words[0] not in ("profile", "nvprof", "launch"):
        raise Diagnostic(
            f"{' '.join(['nsys', *words[:1]])}: here there is `nsys profile PROGRAM`",
            hint="it runs `warploom profile`, whose --json and --trace write what other tools read",
            exit_code=USAGE_ERROR,
        )
    options, command = split(words[1:], NSYS_VALUES)
    named = options.get("-o") or options.get("--output")
    own = ["--trace", f"{named}.json"] if named else []
    for pair in filter(None, (options.get("-e") or options.get("--env-var") or "").split(",")):
        os.environ.update([pair.split("=", 1) if "=" in pair else (pair, "")])
    note_ignored("nsys", options.keys() - NSYS_VALUES)
    return profiled(own, command, "nsys profile PROGRAM [ARGUMENTS]")


def note_ignored(tool: str, options: Collection[str]) -> None:
    """Say which options have nothing here that they could change."""
    if options:
        print(f"{tool}: warning: ignored: {', '.join(sorted(options))}; `warploom profile --help` tells what there is",
              file=sys.stderr)  # fmt: skip


def profiled(own: Sequence[str], command: Sequence[str], usage: str) -> int:
    """Run `warploom profile`."""
    if not command:
        raise Diagnostic("no program is named", hint=usage, exit_code=USAGE_ERROR)
    return profile.main([*own, "--no-roof", *command])


def split(words: Sequence[str], with_value: frozenset[str]) -> tuple[dict[str, str], list[str]]:
    """The options before the program, and the program's command line."""
    options: dict[str, str] = {}
    left = list(words)
    while left and left[0].startswith("-"):
        if left[0] == "--":
            return options, left[1:]
        name, has_value, value = left.pop(0).partition("=")
        if not has_value and name in with_value and left:
            value = left.pop(0)
        options[name] = value
    return options, left


def cuda_gdb(words: Sequence[str]) -> int:
    """gdb, with the commands for kernels: become it."""
    gdb = shutil.which("gdb")
    if gdb is None:
        raise Diagnostic("cuda-gdb is gdb here, and there is none", hint="apt-get install gdb")
    sys.stdout.flush()
    os.execv(gdb, [gdb, "-x", str(GDB_COMMANDS), *words])


def disassembler(words: Sequence[str]) -> int:
    """cuobjdump, nvdisasm: kernels are machine code of the CPU, which objdump shows."""
    files = [word for word in words if not word.startswith("-")]
    named = files[-1] if files else "FILE"
    raise Diagnostic(
        "there is no GPU code: kernels are functions of the CPU in the file itself",
        hint=f"objdump -dC {named} | less -p '\\.device' shows them; warploom explain FILE.cu says what was done with "
        "each, warpcc -Xptxas -v what each uses",
    )


GDB_COMMANDS = Path(__file__).resolve().parent.parent / "gdb" / "commands.gdb"
TOOLS = {"nvprof": nvprof, "nsys": nsys, "cuda-gdb": cuda_gdb, "cuobjdump": disassembler, "nvdisasm": disassembler}
