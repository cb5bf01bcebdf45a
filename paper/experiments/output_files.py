"""Sheets as text: Markdown and LaTeX.

In Markdown a cell is one line. In LaTeX a data set has up to three lines, ours, the paper's and
the difference, so that six methods fit on a page; the tables need the package booktabs.
"""

from __future__ import annotations

from collections.abc import Sequence

from paper.experiments.labels import METRICS, MINUS, decimals, set_label, signed
from paper.experiments.result_tables import LEGEND, Entry, ResultTable

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "χ²": r"$\chi^2$",
}


def markdown(result_tables: Sequence[ResultTable]) -> str:
    """All sheets as one Markdown text."""
    parts = ["# The paper's tables, made again", LEGEND]
    for sheet in result_tables:
        agree, of = sheet.agree
        count = f" {agree} of {of} cells agree with the print." if of else ""
        parts += [f"## {_plain(sheet.title)}", _plain(sheet.note) + count]
        head = ["data set", *_heads(sheet)]
        lines = [head, ["---", *["---:"] * len(sheet.columns)]]
        for dataset, entries in sheet.rows:
            lines.append([_plain(set_label(dataset)), *map(_markdown_cell, entries)])
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return "\n\n".join(parts) + "\n"


def _heads(sheet: ResultTable) -> list[str]:
    if len(sheet.metrics) == 1:
        return [column.word for column in sheet.columns]
    reference = {"relative_same": "plain", "relative_strong": "strong"}
    return [f"{c.word}, {reference[c.metric]} reference" for c in sheet.columns]


def _plain(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*")


def _markdown_cell(entry: Entry | None) -> str:
    if entry is None:
        return ""
    cell = entry.cell
    ours = f"**{decimals(cell.mean)}**" if entry.best else decimals(cell.mean)
    text = f"{ours} ± {cell.std:.2f}"
    if cell.paper is None:
        return text
    printed = cell.printed
    if printed is None:
        return f"{text} [X]"
    star = "★" if entry.paper_best else ""
    mark = "" if cell.agrees else " ✗"
    paper = f"[{decimals(printed.mean)}{star} ± {printed.std:.2f}]"
    return f"{text} {paper} {signed(cell.mean - printed.mean)}{mark}"


def latex(result_tables: Sequence[ResultTable]) -> str:
    """All sheets as LaTeX tables, to be read by ``input``."""
    head = (
        "% Needs \\usepackage{booktabs}. Of each data set: ours, the paper's, the difference.\n"
        "% Bold: best of ours in the row; underlined: best of the paper's; an asterisk: a cell\n"
        "% that is neither within two of the paper's standard deviations nor within 0.02.\n"
    )
    return head + "".join(map(_latex_table, result_tables))


def _latex_table(sheet: ResultTable) -> str:
    lines = [
        r"\begin{table}[p]",
        r"\centering\footnotesize",
        rf"\caption{{{escaped(sheet.title)}. {escaped(sheet.note)}}}",
        rf"\label{{tab:agathis-{sheet.key.replace('_', '-')}}}",
        rf"\begin{{tabular}}{{l{'c' * len(sheet.columns)}}}",
        r"\toprule",
    ]
    if len(sheet.metrics) > 1:
        groups = [
            rf"\multicolumn{{{sum(c.metric == m for c in sheet.columns)}}}{{c}}"
            rf"{{{escaped(METRICS[m].word)}}}"
            for m in sheet.metrics
            if any(c.metric == m for c in sheet.columns)
        ]
        lines.append(_latex_line(["", *groups]))
    lines += [_latex_line(["Data set", *(escaped(c.word) for c in sheet.columns)]), r"\midrule"]
    for dataset, entries in sheet.rows:
        lines.append(_latex_line([escaped(set_label(dataset)), *map(_latex_ours, entries)]))
        if any(entry is not None and entry.cell.paper is not None for entry in entries):
            lines.append(_latex_line([r"\quad paper", *map(_latex_paper, entries)]))
            lines.append(_latex_line([r"\quad difference", *map(_latex_difference, entries)]))
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]
    return "\n".join(lines)


def escaped(text: str) -> str:
    r"""Text as LaTeX takes it.

    >>> escaped("80 % of χ²_a")
    '80 \\% of $\\chi^2$\\_a'
    """
    # First of all what is made of two characters.
    parts = text.split("χ²")
    return _ESCAPED["χ²"].join("".join(_ESCAPED.get(sign, sign) for sign in p) for p in parts)


def _latex_line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _marked(mean: float, command: str, best: bool) -> str:
    text = decimals(mean).replace(MINUS, "$-$")
    return f"{command}{{{text}}}" if best else text


def _latex_ours(entry: Entry | None) -> str:
    if entry is None:
        return ""
    mean = _marked(entry.cell.mean, r"\textbf", entry.best)
    return rf"{mean} $\pm$ {entry.cell.std:.2f}"


def _latex_paper(entry: Entry | None) -> str:
    if entry is None or entry.cell.paper is None:
        return ""
    printed = entry.cell.printed
    if printed is None:
        return "X"
    mean = _marked(printed.mean, r"\underline", entry.paper_best)
    return rf"{mean} $\pm$ {printed.std:.2f}"


def _latex_difference(entry: Entry | None) -> str:
    if entry is None or entry.cell.difference is None:
        return ""
    text = signed(entry.cell.difference).replace(MINUS, "-")
    return f"${text}{'' if entry.cell.agrees else '^{*}'}$"
