# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""In which programs does a pass of the room `tune` change a kernel?

    python bench/tune_passes.py FOLDER [warpcc options]

Takes every kernel of every CUDA file below FOLDER, in its code for any block size and for those that the program is
seen to launch, through the passes, and prints a line for each file that compiles alone: the passes that changed a
kernel, and how many variants each changed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from warploom.cli.kernels import source_kernels, split_words
from warploom.core.remarks import Unsupported
from warploom.diagnostics import Diagnostic
from warploom.driver.driver import CompilerFailed
from warploom.passes.runner import Lowered, PipelineOptions, run_passes
from warploom.passes.shape.specialise_launch import worthwhile
from warploom.pipeline import labelled, library_options

_TUNE = frozenset(each.name for _, each in labelled() if ".tune." in each.run.__module__)


def changes(path: Path, flags: Sequence[str], options: PipelineOptions) -> Counter[str]:
    """How many variants of the file's kernels each pass of `tune` changed. Raises CompilerFailed, Diagnostic."""
    found: Counter[str] = Counter()
    for kernel in source_kernels(split_words([str(path), *flags], (), ()), None):
        try:
            for block in (None, *worthwhile(kernel.load(), kernel.launched, is_certain=kernel.is_certain)):
                lowered = Lowered(kernel.load_for(block))
                run_passes(lowered, labelled(), options)
                found.update(lowered.changed & _TUNE)
        except Unsupported:
            continue
    return found


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    options = library_options()
    total: Counter[str] = Counter()
    for path in sorted(Path(arguments[0]).rglob("*.cu")):
        folders = [f"-I{folder}" for folder in (path.parent, path.parent.parent)]
        try:
            found = changes(path, [*folders, *arguments[1:]], options)
        except (CompilerFailed, Diagnostic) as failure:
            print(f"{path}: does not compile alone: {str(failure).partition(chr(10))[0]}", flush=True)
            continue
        print(f"{path}: {', '.join(f'{name} {count}' for name, count in sorted(found.items())) or '-'}", flush=True)
        total.update(found.keys())
    print("files:", ", ".join(f"{name} {count}" for name, count in total.most_common()))


if __name__ == "__main__":
    main(sys.argv[1:])
