# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks of mkdocs for `make docs`: files of the repository that a page links to become part of the manual, as text."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

LINK = re.compile(r"(?<=\]\()(\.\./[^)#\s]+)(?=[)#])")
FOLDER = "source"  # of the site, for these files


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the decisions, each of which is a page."""
    decisions = sorted(path.name for path in Path(config.docs_dir, "adr").glob("*.md"))
    config.nav = [*(config.nav or []), {"Decisions": [f"adr/{name}" for name in decisions]}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what the pages link to outside of docs/."""
    pages = [file for file in files if file.src_uri.endswith(".md")]
    linked = {name for file in pages for link in LINK.findall(file.content_string) if (name := outside(file, link))}
    root = Path(config.docs_dir).parent
    for name in sorted(linked):
        if (root / name).is_file():  # else the link stays as it is, and mkdocs complains
            files.append(File.generated(config, place(name), abs_src_path=str(root / name)))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_more: object) -> str:
    """Have these links lead there."""

    def moved(link: re.Match[str]) -> str:
        name = outside(page.file, link[1])
        if name is None or files.get_file_from_path(place(name)) is None:
            return link[1]
        return posixpath.relpath(place(name), posixpath.dirname(page.file.src_uri))

    return LINK.sub(moved, markdown)


def outside(file: File, link: str) -> str | None:
    """The path in the repository that a link of a page leads to; None where it stays in docs/."""
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(file.src_uri), link))
    return None if path.startswith("docs/") else path


def place(name: str) -> str:
    """Where a file of the repository goes, so that browsers show it."""
    return f"{FOLDER}/{name}.txt"
