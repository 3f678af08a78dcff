# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom ir FILE`: print the IR of kernels, after any pass; replay what a broken pass left behind."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from warploom.cli.kernels import (
    PIPELINE_OPTIONS,
    USAGE_ERROR,
    Words,
    asked_for,
    block_size,
    source_kernels,
    split_words,
)
from warploom.core.launch import Dims
from warploom.core.records import replace
from warploom.core.remarks import Unsupported
from warploom.debug import Debug
from warploom.diagnostics import Diagnostic
from warploom.driver.driver import CompilerFailed
from warploom.ir.core import Function
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.runner import (
    LabelledPass,
    Lowered,
    PassFailed,
    PipelineOptions,
    Step,
    read_reproducer,
    run_passes,
)
from warploom.passes.shape.specialise_launch import worthwhile
from warploom.pipeline import checked_name, labelled, options_from_environment

HELP = """usage: warploom ir FILE.cu [--kernel K] [--block X,Y,Z] [--after PASS | --all] [--off-pass P,...] [FLAGS]
       warploom ir FILE.ir [--pass P,...] [--after PASS | --all] [--off-pass P,...]

Print the IR of the kernels of a CUDA file: after the last pass, or after PASS ('import': before the first).

  --kernel K        only this kernel: its plain name, its full one or its symbol
  --block X,Y,Z     the variant for launches with this block size; without it: the code for any block size
  --after PASS      stop after PASS
  --all             print after every pass; one that changed nothing says so
  --off-pass P,...  leave passes out
  --width N         threads of a vector; --jam N: rows of threads that go together
  --pass P,...      FILE.ir: run these passes only

FILE.ir is IR text: what this command printed, or the file that a pass leaves when it breaks; that is replayed from the
pass that broke. Every other flag goes to the compiler as it would to nvcc: -I -D -arch ...
passes: """
IMPORT = "import"


def main(argv: Sequence[str]) -> int:
    """Print the IR; 1 when a kernel has none to print."""
    if not argv or argv[0] in ("-h", "--help"):
        names = ", ".join(label for label, _ in labelled())
        print(HELP + names, file=sys.stdout if argv else sys.stderr)
        return 0 if argv else USAGE_ERROR
    words = split_words(argv, ("--kernel", "--block", "--after", "--pass", *PIPELINE_OPTIONS), ("--all",))
    if words.file.endswith(".ir"):
        return replay(words)
    if "--pass" in words.own:
        raise Diagnostic("--pass goes with a FILE.ir", hint="--after PASS stops after a pass", exit_code=USAGE_ERROR)
    block = block_size(words.own["--block"]) if "--block" in words.own else None
    options, passes = options_of(words), passes_until(labelled(), words.own.get("--after"))
    try:
        found = source_kernels(words, words.own.get("--kernel"))
    except CompilerFailed:
        return 1
    good = True
    for number, kernel in enumerate(found):
        print("\n" * (number > 0) + f"// {kernel.name.full}")
        try:
            function = kernel.load_for(block)
            tell_variants(worthwhile(function, kernel.launched, is_certain=kernel.is_certain), block)
        except Unsupported as reason:
            tell_unsupported(reason)
            good = False
        else:
            good &= show(function, passes, options, everything="--all" in words.own)
    return 0 if good else 1


def tell_variants(sizes: Sequence[Dims], block: Dims | None) -> None:
    """Say, in a comment, which block sizes the compiler makes code for beside the code for any."""
    if block is not None and block not in sizes:
        print("// the program is not seen to launch blocks of this size: the compiler makes no such variant")
    elif block is None and sizes:
        options = " ".join(f"--block {','.join(map(str, size))}" for size in sizes)
        print(f"// for any block size; variants for launches that the program is seen to make: {options}")


def options_of(words: Words, off: frozenset[str] = frozenset()) -> PipelineOptions:
    """What the command line and the environment ask for; a look at the IR always checks it."""
    options = asked_for(words, options_from_environment())
    return replace(options, off=options.off | off, verify=True, record="--all" in words.own)


def passes_until(passes: Sequence[LabelledPass], last: str | None) -> Sequence[LabelledPass]:
    """The pipeline up to and with `last`."""
    if last is None:
        return passes
    labels = [IMPORT, *(label for label, _ in passes)]
    return passes[: labels.index(checked_name(last, labels))]


def show(function: Function, passes: Sequence[LabelledPass], options: PipelineOptions, *, everything: bool) -> bool:
    """Run the passes and print; false when the kernel cannot be lowered that far."""
    options = replace(options, record=True)
    lowered = Lowered(function)
    try:
        run_passes(lowered, passes, options)
    except Unsupported as reason:
        print_steps(lowered.steps, everything=everything)
        tell_unsupported(reason)
        return False
    except PassFailed as failure:
        print_steps(lowered.steps if everything else [], everything=everything)
        tell_failure(failure)
        return False
    print_steps(lowered.steps, everything=everything)
    return True


def print_steps(steps: Sequence[Step], *, everything: bool) -> None:
    """Print the last step's IR, or each step's."""
    if not everything:
        print("".join(step.text for step in steps[-1:]), end="")
        return
    before = ""
    for step in steps:
        note = " (off)" if step.off else " (unchanged)" if step.text == before else ""
        print(f"// ---- after {step.label}{note}")
        print("" if note else step.text, end="")
        before = step.text


def tell_unsupported(reason: Unsupported) -> None:
    """Why the kernel runs on the reference engine."""
    where = f"{reason.loc.file}:{reason.loc.line}" if reason.loc else "warploom"
    sys.stdout.flush()
    print(f"{where}: the kernel runs on the reference engine: {reason.reason}", file=sys.stderr)


def tell_failure(failure: PassFailed) -> None:
    """A pass broke; with a debug level from the environment the traceback is wanted."""
    sys.stdout.flush()
    if options_from_environment().debug >= Debug.FALLBACKS:
        raise failure
    kept = f"\n  reproducer: {failure.reproducer}" if failure.reproducer else ""
    print(f"warploom: error: {failure}{kept}", file=sys.stderr)


def replay(words: Words) -> int:
    """Run passes on the IR in a file."""
    source_only = [*words.flags, *(word for word in ("--kernel", "--block") if word in words.own)]
    if source_only:
        extra = source_only[0]
        raise Diagnostic(f"'{extra}' does not go with a FILE.ir", exit_code=USAGE_ERROR)
    found = read_reproducer(Path(words.file).read_text())
    function = parse_function(found.text, words.file)
    verify(function, "cfg" if function.blocks else "structured")
    if "--pass" in words.own:
        names = words.own["--pass"].split(",")
        passes = [pick(name) for name in names]
    else:
        passes = passes_from(function, found.label, words.own.get("--after"))
    options = replace(options_of(words, found.off), reproducers=None)
    return 0 if show(function, passes, options, everything="--all" in words.own) else 1


def pick(name: str) -> LabelledPass:
    """One pass by the name of its place."""
    passes = dict(labelled())
    label = checked_name(name, list(passes))
    return label, passes[label]


def passes_from(function: Function, label: str, last: str | None) -> Sequence[LabelledPass]:
    """What a replay runs: from the pass that broke, all of them for a kernel fresh from the importer, else none."""
    passes = passes_until(labelled(), last)
    labels = [each for each, _ in passes]
    if label in labels:
        return passes[labels.index(label) :]
    return passes if function.blocks else []
