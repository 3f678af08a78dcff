# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom torch`: whether `import torch` of this Python brings the CUDA device."""

from __future__ import annotations

import argparse
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from warploom.diagnostics import Diagnostic
from warploom.torch.build import build
from warploom.torch.install import HOOK_FILE, OFF, Installed, find_torch

# A line that Python runs when it starts, after Warploom was removed as well.
HOOK = 'import importlib.util as u; u.find_spec("warploom") and __import__("warploom.torch.hook")\n'


def main(argv: Sequence[str]) -> int:
    """Run `enable`, `disable` or `status`."""
    options = parser().parse_args(argv)
    {"enable": enable, "disable": disable, "status": status}[options.action]()
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="warploom torch",
        description="Give the CPU build of PyTorch in this Python a device 'cuda' that is the CPU.",
        epilog=f"{OFF}=0 in the environment leaves PyTorch as it is for one run.",
    )
    made.add_argument("action", choices=("enable", "disable", "status"))
    return made


def enable() -> None:
    """Build what is missing, then have `import torch` load it."""
    torch = usable_torch()
    build(torch)
    file = hook_file()
    try:
        file.write_text(HOOK)
    except OSError as error:
        raise Diagnostic(
            f"cannot write to this Python's packages: {error}", hint="use a virtual environment of your own"
        ) from error
    doubt = torch.doubt()
    print(f"PyTorch {torch.version} has a device 'cuda' now" + (f"; {doubt}" if doubt else ""))


def disable() -> None:
    """Leave PyTorch as it is."""
    hook_file().unlink(missing_ok=True)
    print("PyTorch is as it was installed")


def status() -> None:
    """Print what `import torch` does."""
    torch = find_torch()
    if torch is None:
        print("PyTorch is not installed")
        return
    refusal = torch.refusal()
    on = "has a device 'cuda' by Warploom" if hook_file().exists() else "is as it was installed"
    print(f"PyTorch {torch.version} {refusal or torch.doubt() or on}")


def usable_torch() -> Installed:
    """The PyTorch of this Python; a Diagnostic when it cannot have the device."""
    torch = find_torch()
    if torch is None:
        raise Diagnostic("PyTorch is not installed in this Python", hint="pip install its CPU build")
    refusal = torch.refusal()
    if refusal is not None:
        raise Diagnostic(refusal)
    return torch


def hook_file() -> Path:
    """The file in site-packages."""
    return Path(sysconfig.get_path("purelib"), HOOK_FILE)
