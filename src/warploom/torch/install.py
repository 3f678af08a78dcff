# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The PyTorch that is installed, and whether its CUDA device can be Warploom's; found without importing it."""

from __future__ import annotations

import importlib.machinery
import re
from pathlib import Path

from warploom.core.records import dataclass

TESTED = ("2.13.0",)  # what tests/pytorch ran with
HOOK_FILE = "warploom_torch.pth"  # in site-packages
OFF = "WARPLOOM_TORCH"  # in the environment: 0 leaves PyTorch as it is


@dataclass(frozen=True)
class Installed:
    """A PyTorch package."""

    folder: Path
    version: str  # "2.13.0+cpu"
    git_version: str
    accelerator: str | None  # the CUDA or ROCm release that it was built for

    @property
    def release(self) -> str:
        """The version without what it was built for."""
        return self.version.partition("+")[0]

    @property
    def include(self) -> Path:
        """Its C++ headers."""
        return self.folder / "include"

    @property
    def libraries(self) -> Path:
        """Its shared libraries."""
        return self.folder / "lib"

    def refusal(self) -> str | None:
        """Why Warploom cannot be its CUDA device; None: it can."""
        if self.accelerator is not None or (self.libraries / "libtorch_cuda.so").exists():
            return f"this PyTorch ({self.version}) has a GPU's libraries already; Warploom works with the CPU build"
        if not (self.include / "c10" / "cuda" / "CUDAStream.h").exists():
            return f"this PyTorch ({self.version}) came without its CUDA headers"
        return None

    def doubt(self) -> str | None:
        """What to tell of a version that nobody has tried."""
        if self.release in TESTED:
            return None
        return f"PyTorch {self.release} was not tested with Warploom (tested: {', '.join(TESTED)})"


def find_torch() -> Installed | None:
    """The PyTorch that `import torch` of this Python would load."""
    spec = importlib.machinery.PathFinder.find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    try:
        text = (folder / "version.py").read_text()
    except OSError:
        return None
    accelerators = [found for name in ("cuda", "hip") if (found := _value(text, name))]
    return Installed(
        folder, _value(text, "__version__") or "unknown", _value(text, "git_version") or "", *accelerators[:1] or [None]
    )


def _value(text: str, name: str) -> str | None:
    """What a line `NAME = 'VALUE'`, with a type or without, says."""
    found = re.search(rf"^{name}\b[^=\n]*=\s*['\"]([^'\"]+)['\"]", text, re.M)
    return found[1] if found else None
