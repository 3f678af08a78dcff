# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs passes on a kernel: times each, checks the IR after it, dumps, and deals with a pass that breaks.

A pass that raises anything but Unsupported, or leaves IR that does not verify, is our fault and not the user's: the IR
from before the pass goes to a file that `warploom ir` replays, and the kernel runs on the reference engine.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from warploom.analysis.work_formulas import UNKNOWN, Formulas
from warploom.cache import content_key
from warploom.core.deferred import deferred
from warploom.core.launch import LAUNCH_LIMIT
from warploom.core.records import dataclass, field, replace
from warploom.core.remarks import Remark, Unsupported
from warploom.core.type_names import TYPE_CHECKING, TypeVar
from warploom.debug import Debug
from warploom.diagnostics import Diagnostic
from warploom.ir.core import Function
from warploom.passes.base import Context, Pass, Purpose, apply
from warploom.passes.contracts import Contract, is_flat
from warploom.passes.vector.vector_calls import NO_LIBRARY, VectorCalls
from warploom.passes.vector.vector_report import VectorLoop
from warploom.version import VERSION

if TYPE_CHECKING:
    from warploom.ir import parser, printer, verifier
else:
    parser = deferred("warploom.ir.parser")
    printer = deferred("warploom.ir.printer")
    verifier = deferred("warploom.ir.verifier")

T = TypeVar("T")
LabelledPass = tuple[str, Pass]  # the name of a pass's place in the pipeline, and the pass


@dataclass(frozen=True)
class PipelineOptions:
    """How kernels are lowered."""

    purpose: Purpose = Purpose.FAST
    off: frozenset[str] = frozenset()  # names of passes, or of features of a pass
    debug: Debug = Debug.QUIET
    verify: bool = False  # check the IR after every pass
    record: bool = False  # keep the IR's text after each pass
    width: int | None = None  # lanes of a vector of threads; None: as the vectoriser finds best
    jam: int | None = None  # rows of threads in one turn
    calls: VectorCalls = NO_LIBRARY
    reports_vectors: bool = False  # say what became of each loop over threads, for -Xptxas -v
    launch_limit: int = LAUNCH_LIMIT  # threads from which on a launch takes code for launches of any size
    keep_going: bool = False  # a pass that breaks is a warning, whatever `debug` is
    reproducers: Path | None = Path()  # where a pass that breaks leaves its input; None: nowhere
    remarks: list[str] | None = (
        None  # gets a line for each kernel that the reference engine runs; None: nobody reads it
    )


@dataclass(frozen=True)
class Step:
    """One pass that ran, or was off."""

    label: str
    seconds: float
    off: bool = False
    text: str = ""  # the IR after it, with PipelineOptions.record


@dataclass
class Lowered:
    """A kernel in the pipeline or after it, and what happened to it."""

    function: Function
    remarks: list[Remark] = field(default_factory=list[Remark])
    steps: list[Step] = field(default_factory=list[Step])
    vectors: list[VectorLoop] | None = None  # an empty list, for what became of each loop over threads
    settled: set[str] = field(default_factory=set[str])  # idempotent passes that ran since anything changed
    changed: set[str] = field(default_factory=set[str])  # passes that have changed anything
    held: set[Contract] = field(default_factory=set[Contract])  # what passes have ensured, looked at under verification
    work: Formulas = UNKNOWN  # what a thread does, see count_work
    origin: Function | None = None  # the kernel before any pass, for a reproducer; None: printed ahead

    @property
    def timings(self) -> list[tuple[str, float]]:
        """Seconds of each pass, in order."""
        return [(step.label, step.seconds) for step in self.steps]


class PassFailed(Exception):
    """A pass broke, or left IR that does not verify; the cause is chained."""

    def __init__(self, kernel: str, label: str, cause: Exception) -> None:
        super().__init__(f"pass {label} failed on kernel {kernel}: {describe(cause)}")
        self.label = label
        self.reproducer: Path | None = None


def run_passes(lowered: Lowered, passes: Sequence[LabelledPass], options: PipelineOptions) -> None:
    """Run `passes` in order on `lowered.function`, in place.

    Raises Unsupported when the kernel needs the reference engine; PassFailed, after writing the reproducer, when a pass
    breaks and `options.debug` is FALLBACKS or more (below that, or with `keep_going`: a warning, then Unsupported).
    """
    origin = printer.print_function(lowered.function) if lowered.origin is None or options.record else ""
    if options.record:
        lowered.steps.append(Step("import", 0.0, text=origin))
    context = Context(
        options.off,
        lowered.remarks,
        options.width,
        options.jam,
        options.calls,
        lowered.vectors,
        keeps_memory=True,
    )
    try:
        for label, each in passes:
            _run_one(lowered, label, each, context, options)
        lowered.work = context.work
    except PassFailed as failure:
        if options.reproducers is not None:
            before = origin if lowered.origin is None else printer.print_function(lowered.origin)
            text = input_text(before, failure.label, passes, options)
            failure.reproducer = write_reproducer(lowered.function.name, text, failure, options)
        raise _verdict(failure, options) from failure.__cause__


def _run_one(lowered: Lowered, label: str, each: Pass, context: Context, options: PipelineOptions) -> None:
    function = lowered.function
    off = each.name in options.off
    if off and each.needed and (not is_flat(function) or function.facts.waits):
        raise Unsupported(f"pass {each.name} is switched off")
    started = time.perf_counter()
    try:
        if options.verify and not off:
            check_before(each, function)
        changed = False
        in_vain = each.name in lowered.settled or (each.after and lowered.changed.isdisjoint(each.after))
        if not off and not in_vain:
            if changed := apply(each, function, context):
                lowered.settled.clear()
                lowered.changed.add(each.name)
            if each.idempotent:
                lowered.settled.add(each.name)
        seconds = time.perf_counter() - started
        if options.verify and not off:
            check_after(each, function, lowered.held, changed=changed)
        text = printer.print_function(function) if options.record or options.debug >= Debug.DUMPS else ""
    except Unsupported:
        raise
    except Exception as error:
        raise PassFailed(function.name, label, error) from error
    lowered.steps.append(Step(label, seconds, off, text))
    report(function, lowered.steps[-1], options.debug)


def check_before(each: Pass, function: Function) -> None:
    """Assert what the pass asks for."""
    for contract in each.requires:
        assert contract.holds(function), f"{each.name} requires what does not hold: {contract.text}"


def check_after(each: Pass, function: Function, held: set[Contract], *, changed: bool) -> None:
    """Assert what the verifier asks for, what the pass promises, and what held before it; `held` is brought up to date.

    What held before can be otherwise only where the pass has changed anything.
    """
    verifier.verify(function, "cfg" if function.blocks else "structured")
    held.difference_update(each.breaks)
    for contract in (*each.ensures, *(sorted(held, key=lambda one: one.text) if changed else ())):
        assert contract.holds(function), f"after {each.name} this does not hold: {contract.text}"
    held.update(each.ensures)


def report(function: Function, step: Step, debug: Debug) -> None:
    """Tell stderr what WARPLOOM_DEBUG asks for."""
    if debug >= Debug.TIMINGS:
        print(f"warploom: {function.name}: {step.label}: {step.seconds * 1000:.1f} ms", file=sys.stderr)
    if debug >= Debug.DUMPS:
        print(step.text, file=sys.stderr)


def attempt(
    kernel: str,
    label: str,
    action: Callable[[], T],
    options: PipelineOptions,
    text: Callable[[], str] | None = None,
) -> T:
    """What `action` gives: a step that is no pass, such as import and emission, deserves the same care.

    `text` gives the IR that the step starts from, for the reproducer; None when there is none.
    """
    try:
        return action()
    except (Unsupported, Diagnostic):
        raise
    except Exception as error:
        failure = PassFailed(kernel, label, error)
        failure.__cause__ = error
        if text is not None and options.reproducers is not None:
            failure.reproducer = write_reproducer(kernel, text(), failure, options)
        raise _verdict(failure, options) from error


def _verdict(failure: PassFailed, options: PipelineOptions) -> PassFailed | Unsupported:
    """What to raise: the failure itself, or, after a warning, that the kernel needs the other engine."""
    if options.debug >= Debug.FALLBACKS and not options.keep_going:
        return failure
    kept = f"; please report it with {failure.reproducer}" if failure.reproducer else ""
    print(f"warploom: warning: {failure}; the kernel runs on the reference engine{kept}", file=sys.stderr)
    return Unsupported(f"pass {failure.label} failed: a bug of Warploom's")


# -- reproducers ------------------------------------------------------------------------------------------------------

MAGIC = "// warploom reproducer"


@dataclass(frozen=True)
class Reproducer:
    """The text of a kernel, and the pass that it is the input of; `label` is empty when the file does not say."""

    text: str
    label: str = ""
    off: frozenset[str] = frozenset()


def input_text(origin: str, label: str, passes: Sequence[LabelledPass], options: PipelineOptions) -> str:
    """The IR that the pass `label` was given, computed again from the pipeline's input; else that input itself."""
    lowered = Lowered(parser.parse_function(origin))
    names = [name for name, _ in passes]
    before = passes[: names.index(label)]
    try:
        run_passes(
            lowered, before, replace(options, debug=Debug.FALLBACKS, record=False, reproducers=None, keep_going=False)
        )
    except PassFailed:
        return origin
    return printer.print_function(lowered.function)


def write_reproducer(kernel: str, text: str, failure: PassFailed, options: PipelineOptions) -> Path:
    """Write the file that `warploom ir` replays; to a temporary folder when its own may not be written."""
    name = kernel if len(kernel) <= 80 else f"{kernel[:60]}-{content_key(kernel)[:12]}"
    header = [
        f"{MAGIC}, version {VERSION}: warploom ir FILE replays it",
        f"// pass: {failure.label}",
        f"// off: {','.join(sorted(options.off))}",
        *(f"// error: {line}" for line in describe(failure.__cause__).splitlines()),
    ]
    content = "\n".join([*header, text])
    path = (options.reproducers or Path()) / f"warploom-crash-{name}-{failure.label}.ir"
    try:
        path.write_text(content)
    except OSError:
        from tempfile import mkdtemp

        path = Path(mkdtemp(prefix="warploom-crash-"), path.name)
        path.write_text(content)
    return path


def read_reproducer(text: str) -> Reproducer:
    """What the comments of a reproducer, or of any other file of IR text, say of it."""
    facts: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.removeprefix("// ").partition(": ")
        if line.startswith("//"):
            facts.setdefault(key, value)
    return Reproducer(text, facts.get("pass", ""), frozenset(filter(None, facts.get("off", "").split(","))))


def describe(error: BaseException | None) -> str:
    """An exception in words; one that is no failed check also says where it was raised."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if error is None or (isinstance(error, AssertionError) and str(error)):
        return text
    from traceback import extract_tb

    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in extract_tb(error.__traceback__)[-2:]]
    return f"{text} ({', '.join(places)})"
