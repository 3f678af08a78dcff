# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a source reads: -E, -M, and the dependency files of -MD.

    x.cu --host pass----> text, files --.
     `----device pass--> text, files ---+--> both

A CUDA source is read twice, and `#ifdef __CUDA_ARCH__` may give either pass text and headers of its own. Whoever
decides by these whether an object is still right (make, ccache, sccache, `warploom run`) has to see what both passes
read.
"""

from __future__ import annotations

import sys
from pathlib import Path

from warploom.cache import cache_dir
from warploom.core.records import replace
from warploom.driver.driver import Driver
from warploom.driver.settings import settings_key
from warploom.frontend import passes
from warploom.frontend.dependencies import prerequisites
from warploom.frontend.passes import SourceOptions

_LISTING = frozenset(("-MD", "-MMD"))


def device_listing(options: SourceOptions, file: Path) -> tuple[str, ...]:
    """The flags that make the device pass list the files that it reads in `file`; none where nobody wants a list."""
    asked = [flag for flag in options.extra if flag in _LISTING]
    return (asked[-1], "-MF", str(file), "-MT", "device") if asked else ()


def add_device_files(options: SourceOptions, file: Path) -> None:
    """Complete the dependency file of the host pass by what the device pass has read alone, as `file` says."""
    if not device_listing(options, file):
        return
    listed = Path(options.extra[options.extra.index("-MF") + 1])
    text = listed.read_text(errors="surrogateescape")
    more = _more_rules(text, file.read_text(errors="surrogateescape"), phony="-MP" in options.extra)
    listed.write_text(text + more, errors="surrogateescape")


def _more_rules(host: str, device: str, *, phony: bool) -> str:
    """Rules for the host's target with the prerequisites that only the device pass has."""
    known, precompiled = set(prerequisites(host)), (str(passes.INCLUDE), str(cache_dir()))
    missing = [name for name in prerequisites(device) if name not in known and not name.startswith(precompiled)]
    if not missing:
        return ""
    rule = f"{host.partition(': ')[0]}: {' '.join(missing)}\n"
    return rule + "".join(f"{name}:\n" for name in missing if phony)


def preprocess(driver: Driver, source: Path, action: str) -> None:
    """-E, -M, -MM: to stdout, or the file that -o or -MF names."""
    written, extra = driver.line.output, tuple(_text_flags(driver))
    options = driver.flags.of_source(source, source.with_suffix(".o"))
    if action == "-E":
        options = replace(options, extra=(*options.extra, *extra))
    else:
        written, words = _as_rules(driver, source)
        options = replace(options, extra=tuple(words))
    language = driver.language_of(source)
    output = Path(written) if written else None
    if language != "cuda":
        driver.tool(passes.plain_command(driver.toolchain, source, output, options, language, action))
        return
    with driver.scratch(source) as folder:
        text = _of_both_passes(driver, source, options, action, folder)
    if driver.line.dry_run:
        return
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, errors="surrogateescape")


def _text_flags(driver: Driver) -> list[str]:
    return [] if driver.line.line_markers else ["-P"]


def _of_both_passes(driver: Driver, source: Path, options: SourceOptions, action: str, folder: Path) -> str:
    """What the host pass and the device pass read."""
    image_id, host, device = folder / "image.id", folder / "host.txt", folder / "device.txt"
    image_id.write_bytes(b"warploom\0")
    listing = device_listing(options, folder / "device.d") if action == "-E" else ()
    after = (*listing, *_text_flags(driver))
    driver.tool(passes.host_command(driver.toolchain, source, host, image_id, options, action))
    driver.tool(passes.device_reading(driver.toolchain, source, device, replace(options, after=after), action))
    if driver.line.dry_run:
        return ""
    texts = [file.read_text(errors="surrogateescape") for file in (host, device)]
    if action != "-E":
        return texts[0] + _more_rules(*texts, phony="-MP" in options.extra)
    add_device_files(options, folder / "device.d")
    key = settings_key(driver.toolchain)
    return f"// the host's side, by warpcc {key}\n{texts[0]}\n// the device's side\n{texts[1]}"


def _as_rules(driver: Driver, source: Path) -> tuple[str | None, list[str]]:
    """-M: where the rules go, and the flags for the target's name."""
    flags = iter(driver.line.dependency_flags)
    told = {flag: next(flags) if flag in ("-MF", "-MT", "-MQ") else "" for flag in flags}
    written = driver.line.output or told.get("-MF")
    told.pop("-MF", None)
    if not {"-MT", "-MQ"} & set(told):
        told["-MT"] = str(Path(driver.line.output_folder or "", f"{source.stem}.o"))
    return written, [word for flag, value in told.items() for word in (flag, value) if word]
