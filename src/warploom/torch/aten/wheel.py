# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An installable wheel of a folder with ATen's CUDA kernels, for other machines with the same PyTorch and Warploom.

    warploom_aten-2.13.0+warploom0.1.0.x86.64.v3-py3-none-manylinux_2_34_x86_64.whl
        warploom_aten/libwarploom_aten.so, about.json, files.tsv
        warploom_aten-2.13.0+warploom0.1.0.x86.64.v3.dist-info/METADATA, WHEEL, RECORD, licenses/LICENSE

Its version is PyTorch's release; the local part behind it says which Warploom compiled it, and the processor that it
was compiled for. No Python is named: the library uses PyTorch's C++ libraries, not Python's. The same folder gives the
same bytes. The format is https://packaging.python.org/en/latest/specifications/binary-distribution-format/.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from warploom.scratch import temporary_folder
from warploom.torch.aten.build import ABOUT, FILES, FOLDER, LIBRARY, LICENSE

_TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can say
_MODE = 0o100644 << 16
_PURPOSE = "PyTorch's own CUDA kernels, compiled by Warploom for its device 'cuda', which is the CPU"


def write_wheel(folder: Path, target: Path) -> Path:
    """Write a wheel of the library in `folder`, which `build_kernels` has made, to the folder `target`; its path."""
    about: dict[str, Any] = json.loads((folder / ABOUT).read_text())
    version = wheel_version(about)
    tag = f"py3-none-{about['platform']}"
    info = f"{FOLDER}-{version}.dist-info"
    texts = {f"{info}/METADATA": _metadata(about, version, has_license=(folder / LICENSE).exists())}
    texts[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: warploom ({about['warploom']})\nRoot-Is-Purelib: false\nTag: {tag}\n"
    )
    files = {f"{FOLDER}/{name}": folder / name for name in (LIBRARY, ABOUT, FILES)}
    if (folder / LICENSE).exists():
        files[f"{info}/licenses/{LICENSE}"] = folder / LICENSE
    target.mkdir(parents=True, exist_ok=True)
    name = f"{FOLDER}-{version}-{tag}.whl"
    with temporary_folder(".warploom-wheel-", target) as scratch:
        _write(scratch / name, files, texts, f"{info}/RECORD")
        (scratch / name).replace(target / name)
    return target / name


def wheel_version(about: Mapping[str, Any]) -> str:
    """As installers compare it: PyTorch's release, and behind a plus Warploom's version and the processor."""
    release = about["torch"].partition("+")[0]
    words = re.findall("[a-z0-9]+", f"warploom{about['warploom']}.{about['cpu']}".lower())
    return f"{release}+{'.'.join(words)}"


def _metadata(about: Mapping[str, Any], version: str, *, has_license: bool) -> str:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {FOLDER.replace('_', '-')}",
        f"Version: {version}",
        f"Summary: {_PURPOSE}",
        "Requires-Python: >=3.11",
        f"Requires-Dist: torch=={about['torch']}",
        f"Requires-Dist: warploom=={about['warploom']}",
        *([f"License-File: {LICENSE}"] if has_license else []),
    ]
    count, files, types = len(about["operators"]), len(about["files"]), ", ".join(about["types"])
    text = (
        f"{_PURPOSE}: {count} operators, from {files} of the CUDA files of PyTorch {about['sources']}, for the types "
        f"{types}. Where `warploom torch enable` was run, `import torch` loads them.\n\n"
        f"They need PyTorch {about['torch']}, Warploom {about['warploom']}, and a processor that has what "
        f"{about['cpu']} stands for; elsewhere a line says so, and these operators run on the CPU backend.\n"
    )
    return "\n".join(lines) + "\n\n" + text


def _write(path: Path, files: Mapping[str, Path], texts: Mapping[str, str], record: str) -> None:
    """A zip file of all, the description last, as installers like it."""
    rows: list[str] = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as wheel:
        for name, source in sorted(files.items()):
            with source.open("rb") as read, wheel.open(_entry(name, source.stat().st_size), "w") as written:
                digest = hashlib.file_digest(read, "sha256").digest()
                read.seek(0)
                shutil.copyfileobj(read, written)
            rows.append(_row(name, digest, source.stat().st_size))
        for name, text in sorted(texts.items()):
            content = text.encode()
            wheel.writestr(_entry(name), content)
            rows.append(_row(name, hashlib.sha256(content).digest(), len(content)))
        wheel.writestr(_entry(record), "".join([*rows, f"{record},,\n"]))


def _entry(name: str, size: int = 0) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name, _TIME)
    made.file_size = size  # above 2 GB the entry has another form
    made.external_attr, made.create_system, made.compress_type = _MODE, 3, zipfile.ZIP_DEFLATED
    return made


def _row(name: str, digest: bytes, size: int) -> str:
    return f"{name},sha256={urlsafe_b64encode(digest).decode().rstrip('=')},{size}\n"
