# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pip runs to build a wheel, or an editable install, says on a system that Warploom is not for."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("hatchling")
HOOK = Path(__file__).resolve().parents[1] / "hatch_build.py"


@pytest.fixture
def hook() -> ModuleType:
    found = importlib.util.spec_from_file_location("hatch_build", HOOK)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("system", ["darwin", "win32"])
@pytest.mark.parametrize("version", ["standard", "editable"])
def test_other_systems_are_refused_before_anything_is_built(
    hook: ModuleType, system: str, version: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    data: dict[str, object] = {}
    with pytest.raises(SystemExit, match=rf"Linux with glibc, not for {system}: see docs/howto/systems\.md"):
        hook.RuntimeHook(str(tmp_path), {}, None, None, str(tmp_path), "wheel").initialize(version, data)
    assert data == {}
