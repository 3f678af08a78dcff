# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pass runner: what it records, what it checks, what it does when a pass breaks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from warploom.core.remarks import Unsupported
from warploom.debug import Debug
from warploom.diagnostics import Diagnostic
from warploom.ir.core import Builder, Function, Op, Value
from warploom.ir.parser import parse_function
from warploom.ir.printer import print_function
from warploom.passes import runner
from warploom.passes.base import Context, Pass, unmet
from warploom.passes.contracts import Contract
from warploom.passes.runner import Lowered, PassFailed, PipelineOptions, run_passes

HEAD = "kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %p: ptr) {"
TEXT = f"""{HEAD}
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
      store %tx, %p [align=4]
      barrier [level=block]
      yield
    }}
    yield
  }}
  yield
}}
"""


def threads(function: Function) -> list[Op]:
    """The ops that each thread runs."""
    return function.body.ops[0].region.ops[0].region.ops


def drop_store(function: Function, context: Context) -> bool:
    context.remark("drop", "store dropped")
    threads(function).pop(0)
    return True


def drop_barrier(function: Function, _context: Context) -> bool:
    threads(function)[:] = [op for op in threads(function) if op.name != "barrier"]
    return True


def crash(function: Function, _context: Context) -> bool:
    threads(function).clear()
    raise KeyError("lost")


def spoil(function: Function, _context: Context) -> bool:
    threads(function)[0].operands[0] = Value("i32", "nowhere")
    return True


def nothing(_function: Function, _context: Context) -> bool:
    return False


def refuse(_function: Function, _context: Context) -> bool:
    raise Unsupported("cannot")


def has_no_barriers(function: Function) -> bool:
    return all(op.name != "barrier" for op in threads(function))


NO_BARRIERS = Contract("no barrier is left", has_no_barriers)


DROP, CRASH, SPOIL = Pass("drop", drop_store), Pass("crash", crash), Pass("spoil", spoil)


def run(*passes: Pass, **options: object) -> Lowered:
    lowered = Lowered(parse_function(TEXT))
    settings = PipelineOptions(**options)  # pyright: ignore[reportArgumentType]
    run_passes(lowered, [(each.name, each) for each in passes], settings)
    return lowered


def test_steps_have_times_and_with_record_the_text_after_each_pass() -> None:
    lowered = run(DROP, Pass("off", crash), record=True, off=frozenset({"off"}))
    assert [(step.label, step.off) for step in lowered.steps] == [("import", False), ("drop", False), ("off", True)]
    assert lowered.steps[0].text == print_function(parse_function(TEXT))
    assert "store" not in lowered.steps[1].text
    assert lowered.steps[1].text == lowered.steps[2].text
    assert [name for name, seconds in lowered.timings if seconds >= 0] == ["import", "drop", "off"]


def test_without_record_no_text_is_kept() -> None:
    assert [step.text for step in run(DROP).steps] == [""]


def test_remarks_are_kept() -> None:
    assert [(remark.source, remark.text) for remark in run(DROP).remarks] == [("drop", "store dropped")]


def test_verification_names_the_check_that_does_not_hold() -> None:
    checked = Pass("checked", nothing, ensures=(NO_BARRIERS,))
    run(checked)  # unchecked: debug level 0
    with pytest.raises(PassFailed, match=r"after checked this does not hold: no barrier is left$"):
        run(checked, verify=True, debug=Debug.FALLBACKS, reproducers=None)


def test_verification_names_what_a_pass_asks_for_in_vain() -> None:
    asking = Pass("asking", nothing, requires=(NO_BARRIERS,))
    run(asking)
    with pytest.raises(PassFailed, match=r"asking requires what does not hold: no barrier is left$"):
        run(asking, verify=True, debug=Debug.FALLBACKS, reproducers=None)
    run(Pass("b", drop_barrier), asking, verify=True)


def add_barrier(function: Function, _context: Context) -> bool:
    build = Builder(made := list[Op]())
    build.effect("barrier", [], level="block")
    threads(function)[:0] = made
    return True


def test_what_a_pass_ensures_is_looked_at_until_another_breaks_it() -> None:
    drops, adds = Pass("drops", drop_barrier, ensures=(NO_BARRIERS,)), Pass("adds", add_barrier)
    with pytest.raises(PassFailed, match=r"after adds this does not hold: no barrier is left$"):
        run(drops, adds, verify=True, debug=Debug.FALLBACKS, reproducers=None)
    run(drops, replace(adds, breaks=(NO_BARRIERS,)), adds, verify=True, debug=Debug.FALLBACKS, reproducers=None)


def test_an_order_is_wrong_where_nothing_that_stays_ensures_what_a_pass_requires() -> None:
    drops, asks = (
        Pass("drops", drop_barrier, needed=True, ensures=(NO_BARRIERS,)),
        Pass("asks", nothing, requires=(NO_BARRIERS,)),
    )
    adds = Pass("adds", add_barrier, breaks=(NO_BARRIERS,))
    assert not list(unmet([drops, asks]))
    for order in ([asks], [asks, drops], [drops, adds, asks], [replace(drops, needed=False), asks]):
        assert list(unmet(order)) == [(asks, NO_BARRIERS)]


def test_what_cleans_up_behind_a_pass_runs_when_it_has_changed_anything() -> None:
    def count(function: Function, context: Context) -> bool:
        del function
        context.remark("count", "ran")
        return False

    behind = Pass("behind", count)
    changing, idle = Pass("changing", drop_barrier, cleanup=(behind,)), Pass("idle", nothing, cleanup=(behind,))
    assert [each.source for each in run(changing, idle).remarks] == ["count"]
    assert not run(changing, off=frozenset({"behind"})).remarks


def test_verification_finds_ir_that_is_not_well_formed() -> None:
    with pytest.raises(PassFailed, match="nowhere"):
        run(SPOIL, verify=True, debug=Debug.FALLBACKS, reproducers=None)


def test_switching_off_a_needed_pass_is_a_fallback_only_for_kernels_with_barriers() -> None:
    needed = Pass("needed", drop_barrier, needed=True)
    with pytest.raises(Unsupported, match="pass needed is switched off"):
        run(needed, off=frozenset({"needed"}))
    assert run(Pass("b", drop_barrier), needed, off=frozenset({"needed"})).steps[-1].off


def test_unsupported_goes_through_and_leaves_no_reproducer(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="cannot"):
        run(Pass("refuse", refuse), reproducers=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_crash_is_a_warning_a_reproducer_and_a_fallback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Unsupported, match="pass crash failed"):
        run(DROP, CRASH, reproducers=tmp_path, off=frozenset({"other"}))
    path = tmp_path / "warploom-crash-k-crash.ir"
    err = capsys.readouterr().err
    assert "KeyError: 'lost'" in err
    assert err.startswith("warploom: warning: pass crash failed on kernel k: ")
    assert err.endswith(f"; the kernel runs on the reference engine; please report it with {path}\n")
    found = runner.read_reproducer(path.read_text())
    assert (found.label, found.off) == ("crash", frozenset({"other"}))
    # what the broken pass was given, not what it left
    assert print_function(parse_function(found.text)) == run(DROP, record=True).steps[-1].text


def test_with_a_debug_level_a_crash_is_an_exception_that_knows_its_reproducer(tmp_path: Path) -> None:
    with pytest.raises(PassFailed) as caught:
        run(CRASH, reproducers=tmp_path, debug=Debug.FALLBACKS)
    assert caught.value.reproducer == tmp_path / "warploom-crash-k-crash.ir"
    assert isinstance(caught.value.__cause__, KeyError)


def test_keep_going_makes_it_a_fallback_at_every_level(tmp_path: Path) -> None:
    with pytest.raises(Unsupported):
        run(CRASH, reproducers=tmp_path, debug=Debug.TIMINGS, keep_going=True)


def test_a_reproducer_goes_elsewhere_when_its_folder_may_not_be_written(tmp_path: Path) -> None:
    with pytest.raises(PassFailed) as caught:
        run(CRASH, reproducers=tmp_path / "missing", debug=Debug.FALLBACKS)
    assert caught.value.reproducer is not None
    assert caught.value.reproducer.exists()


def test_levels_2_and_3_print_times_and_ir(capsys: pytest.CaptureFixture[str]) -> None:
    run(DROP, debug=Debug.TIMINGS)
    assert capsys.readouterr().err.startswith("warploom: k: drop: ")
    run(DROP, debug=Debug.DUMPS)
    assert HEAD in capsys.readouterr().err


def test_steps_that_are_no_passes_are_treated_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = PipelineOptions(reproducers=tmp_path)
    assert runner.attempt("k", "import", lambda: 7, options) == 7
    with pytest.raises(Unsupported, match="pass emit failed"):
        runner.attempt("k", "emit", lambda: int("x"), options, lambda: TEXT)
    assert "pass emit failed on kernel k: ValueError" in capsys.readouterr().err
    assert runner.read_reproducer((tmp_path / "warploom-crash-k-emit.ir").read_text()).label == "emit"


def test_a_mistake_of_the_user_is_no_crash() -> None:
    def complain() -> None:
        raise Diagnostic("yours")

    with pytest.raises(Diagnostic, match="yours"):
        runner.attempt("k", "import", complain, PipelineOptions())
