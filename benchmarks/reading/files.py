"""Files as people have them, with known truth; ``run.py --write FOLDER`` writes them.

They look like exports of a CRM, a survey form, a laboratory and a spreadsheet, in English and
German, are made by scripts with seeds, and each knows its rows, columns, values, kinds of columns
and, where there are any, groups (:class:`reading.truth.ReadingFile`). Some twenty are clean:
nothing about them deserves a note. With them come tables and files of installed packages.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from reading.cells import cell_files
from reading.clean import clean_files, package_files
from reading.layouts import layout_files
from reading.roles import role_files
from reading.truth import ReadingFile


def reading_files() -> list[ReadingFile]:
    """All files; none is written yet."""
    files = [*layout_files(), *cell_files(), *role_files(), *clean_files(), *package_files()]
    names = [one.name for one in files]
    if len(set(names)) < len(names):
        raise ValueError(f"Two files have one name: {sorted(names)}.")
    return files


def write_files(folder: Path, files: Iterable[ReadingFile]) -> None:
    """Write the files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in files:
        one.write(folder / one.name)
