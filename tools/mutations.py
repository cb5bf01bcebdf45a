"""How mutants are made: one operator, number, condition or statement of a source file changed.

Python is changed by its syntax tree, C and Cython by their tokens. Messages, docstrings, comments,
annotations, declarations and reports of progress are left as they are: no result depends on them.
"""

from __future__ import annotations

import ast
import bisect
import io
import random
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

#: What a token becomes: one mutant for each entry.
COMPARISONS = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
    "==": ("!=",), "!=": ("==",), "is": ("is not",), "is not": ("is",),
    "in": ("not in",), "not in": ("in",),
}  # fmt: skip
ARITHMETIC = {
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "%": "*", "**": "*",
    "&": "|", "|": "&", "<<": ">>", ">>": "<<",
}  # fmt: skip
FUNCTIONS = {
    "min": "max", "minimum": "maximum", "argmin": "argmax", "fmin": "fmax", "nanmin": "nanmax",
    "any": "all", "floor": "ceil", "startswith": "endswith", "lstrip": "rstrip",
    "removeprefix": "removesuffix", "isnan": "isfinite",
}  # fmt: skip
FUNCTIONS |= {new: old for old, new in FUNCTIONS.items() if old != "isnan"}
#: What exporters write: code in other languages.
WRITTEN = {
    "<=": "<", ">=": ">", "IS NULL": "IS NOT NULL", "IS NOT NULL": "IS NULL", " AND ": " OR ",
    " OR ": " AND ", " and ": " or ", " or ": " and ", "ELSE 0": "ELSE 1", "THEN 1": "THEN 0",
    "if not ": "if ", "True": "False", '"left"': '"right"', "BRANCH_LEQ": "BRANCH_LT", " + ": " - ",
    " * ": " / ",
}  # fmt: skip
#: Names of what is only printed or timed.
SILENT = re.compile(
    r"progress|verbose|perf_counter|clocks|logger|warn|\bprint\b|_message\b|Note\b"
    r"|Error\b|Exception\b|BadTable\b|Warning\b"
)


class Mutant(NamedTuple):
    """One change of a file: the text from ``start`` to ``end`` becomes another one."""

    file: str
    line: int
    column: int
    start: int
    end: int
    before: str
    after: str

    @property
    def id(self) -> str:
        """File, line, column (both from 1) and change."""
        change = f"{self.before}->{self.after}" if self.after != "pass" else "drop"
        return f"{self.file}:{self.line}:{self.column}:{' '.join(change.split())}"

    def apply(self, source: str) -> str:
        """The file with the change."""
        return source[: self.start] + self.after + source[self.end :]

    def changed_line(self, source: str) -> str:
        """The line of the change as it becomes, without its indentation."""
        return self.apply(source).splitlines()[self.line - 1].strip()


def mutants_of(path: Path, file: str) -> list[Mutant]:
    """All mutants of a file, in the order of its lines; ``file`` is its name in them."""
    source = path.read_text(encoding="utf-8")
    written = "/export/" in file
    found = _of_python(source, written) if path.suffix == ".py" else _of_c(source, path.suffix)
    starts = _line_starts(source)
    out = {}
    for start, end, after in found:
        line = _line_of(starts, start)
        mutant = Mutant(
            file, line + 1, start - starts[line] + 1, start, end, source[start:end], after
        )
        out[mutant.id] = mutant
    return sorted(out.values(), key=lambda mutant: (mutant.start, mutant.id))


def sample(by_file: dict[str, list[Mutant]], size: int, seed: int) -> list[Mutant]:
    """So many mutants, evenly over the files; a larger sample begins with a smaller one."""
    order = sorted(by_file, key=lambda file: random.Random(f"{seed}:{file}").random())
    for file in order:
        by_file[file] = sorted(by_file[file], key=lambda mutant: (mutant.start, mutant.id))
        random.Random(f"{seed}:{file}").shuffle(by_file[file])
    rounds = range(max((len(mutants) for mutants in by_file.values()), default=0))
    taken = [by_file[file][i] for i in rounds for file in order if i < len(by_file[file])]
    return taken[:size]


def _line_starts(source: str) -> list[int]:
    starts = [0]
    starts += [match.end() for match in re.finditer("\n", source)]
    return starts


def _line_of(starts: list[int], place: int) -> int:
    return bisect.bisect_right(starts, place) - 1


# ---- Python ---------------------------------------------------------------------------------


class _Python(ast.NodeVisitor):
    """Collects changes as (start, end, new text)."""

    def __init__(self, source: str, written: bool) -> None:
        self.source, self.written = source, written
        self.starts = _line_starts(source)
        self.lines = source.split("\n")
        self.found: list[tuple[int, int, str]] = []
        self.tokens = [
            (self._place(token.start), self._place(token.end), token.string)
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type in (tokenize.OP, tokenize.NAME)
        ]

    def _place(self, at: tuple[int, int]) -> int:
        return self.starts[at[0] - 1] + at[1]

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends; ``ast`` counts bytes."""
        out = []
        for line, column in (
            (node.lineno, node.col_offset),  # type: ignore[attr-defined]
            (node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        ):
            text = self.lines[line - 1].encode()[:column].decode()
            out.append(self.starts[line - 1] + len(text))
        return out[0], out[1]

    def add(self, start: int, end: int, *changes: str) -> None:
        self.found += [(start, end, change) for change in changes]

    def between(self, left: ast.AST, right: ast.AST) -> tuple[int, int, str] | None:
        """The operator between two nodes, without brackets and comments."""
        start, end = self.span(left)[1], self.span(right)[0]
        inside = [t for t in self.tokens if start <= t[0] and t[1] <= end and t[2] not in "()"]
        if not inside:
            return None
        return inside[0][0], inside[-1][1], " ".join(token[2] for token in inside)

    def operator(self, left: ast.AST, right: ast.AST, changes: dict) -> None:
        found = self.between(left, right)
        if found is not None and found[2] in changes:
            new = changes[found[2]]
            self.add(*found[:2], *((new,) if isinstance(new, str) else new))

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Raise, ast.Assert, ast.Import, ast.ImportFrom)):
            return
        if isinstance(node, ast.If) and self.silent(node.test):
            for other in node.orelse:  # what is done where nothing is printed
                self.visit(other)
            return
        told = isinstance(node, (ast.Call, ast.Compare, ast.Assign, ast.AugAssign))
        if told and self.silent(_head(node)):
            return
        super().visit(node)

    def silent(self, node: ast.AST) -> bool:
        """Whether a node is about what is only printed or timed."""
        start, end = self.span(node)
        return SILENT.search(self.source, start, end) is not None

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for inner in node.body:
            self.visit(inner)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        for inner in node.body:
            self.visit(inner)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.body)

    def visit_If(self, node: ast.If) -> None:
        if not isinstance(node.test, ast.Name) or node.test.id != "TYPE_CHECKING":
            self.condition(node.test)
            self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.condition(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.condition(test)
        self.generic_visit(node)

    def condition(self, test: ast.expr) -> None:
        """A condition that has no operator is negated."""
        if isinstance(test, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
            start = self.span(test)[0]
            self.add(start, start, "not ")

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        if "__all__" not in names:
            self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        found = self.between(node.target, node.value)
        if found is not None and found[2][:-1] in ARITHMETIC and not _is_sequence(node.value):
            self.add(*found[:2], ARITHMETIC[found[2][:-1]] + "=")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):  # a docstring
            return
        if isinstance(node.value, ast.Call) and not self.silent(node.value.func):
            self.add(*self.span(node), "pass")
        self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self.add(*self.span(node), "pass")

    visit_Break = visit_Continue

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
            self.operator(left, right, COMPARISONS)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not (_is_sequence(node.left) or _is_sequence(node.right)):
            self.operator(node.left, node.right, ARITHMETIC)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.operator(left, right, {"and": "or", "or": "and"})
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
            start = self.span(node)[0]
            self.add(start, start + (4 if isinstance(node.op, ast.Not) else 1), "")
        if not isinstance(node.operand, ast.Constant):  # -1 stands for "none" more often than not
            self.visit(node.operand)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func
        called = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
        if called in FUNCTIONS:
            end = self.span(name)[1]
            self.add(end - len(called), end, FUNCTIONS[called])
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value, (start, end) = node.value, self.span(node)
        if isinstance(value, bool):
            self.add(start, end, str(not value))
        elif isinstance(value, int):
            self.add(start, end, *_numbers(str(value)))
        elif isinstance(value, float):
            self.add(start, end, repr(2.0 * value if value else 1.0))
        elif isinstance(value, str):
            self.text(start, end)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self.text(*self.span(node))

    def text(self, start: int, end: int) -> None:
        """Code that is written: an operator of it is another one."""
        for old, new in WRITTEN.items() if self.written else ():
            for match in re.finditer(re.escape(old), self.source[start:end]):
                self.add(start + match.start(), start + match.end(), new)


def _head(node: ast.AST) -> ast.AST:
    """Of a call or an assignment what is called or assigned; else the node."""
    if isinstance(node, ast.Call):
        return node.func
    if isinstance(node, ast.Assign):
        return node.targets[0]
    return node.target if isinstance(node, ast.AugAssign) else node


def _is_sequence(node: ast.expr) -> bool:
    """Whether a value is text or a list, with which no arithmetic but a sum is possible."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, bytes))
    if isinstance(node, ast.IfExp):
        return _is_sequence(node.body) or _is_sequence(node.orelse)
    return isinstance(node, (ast.JoinedStr, ast.List, ast.ListComp, ast.Tuple))


def _of_python(source: str, written: bool) -> list[tuple[int, int, str]]:
    visitor = _Python(source, written)
    visitor.visit(ast.parse(source))
    return visitor.found


# ---- C and Cython ---------------------------------------------------------------------------

_C_IGNORED = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | ^[ \t]*\#(?:\\\n|[^\n])* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])+'
    | \b(?!return\b|else\b|case\b)\w+\ \*?(?:restrict\ )?\w+\[[^\]]*\]
    | \b(?:mem(?:set|cpy|move)|[mc]alloc|realloc)\([^;]*
    """,
    re.DOTALL | re.VERBOSE | re.MULTILINE,
)
_CYTHON_IGNORED = re.compile(
    r'''""".*?""" | \'\'\'.*?\'\'\' | \#[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
    | ^[ \t]*(?:c?import|from|cdef\ extern|ctypedef|raise)\b[^\n]* | ^[ \t]*@[^\n]*
    | ^[ \t]*c?p?def\ [^\n=]*\([^)]*\)[^\n]*:$ | \[[:,\ ]*::1\] | &[\w.]+\[[\w,\ ]*\]
    | \b(?:mem(?:set|cpy|move)|np\.zeros|np\.empty)\([^\n]*
    ''',
    re.DOTALL | re.VERBOSE | re.MULTILINE,
)
#: Tokens of both, with spaces around what is a binary operator; a pointer has none.
_TOKENS = [
    (r"(?<=[\w)\]] )[-+*/%](?= [\w(&!*-])", ARITHMETIC),
    (r"(?<= )[-+*/](?==[^=])", ARITHMETIC),
    (r"(?<= )(?:<=|>=|==|!=|<|>)(?= )", COMPARISONS),
    (r"(?<= )(?:<<|>>)(?= )", ARITHMETIC),
    (r"(?<= )(?:&&|\|\|)(?=\s)", {"&&": "||", "||": "&&"}),
    (r"(?<=[\w)\]] )[&|](?= [\w(~])", ARITHMETIC),
    (r"(?<=[(,=?:] )-(?=[\w(])|(?<=\()-(?=[\w(])", {"-": ""}),
    (r"!(?=[\w(])", {"!": ""}),
    (r"(?<![\w.:-])\d+(?![\w.])", None),
    (r"(?<![\w.])\d+\.\d+(?![\w.])", None),
    (r"\b(?:fmin|fmax|min|max)(?=\()", FUNCTIONS),
]
_C_TOKENS = [(r"\b(?:continue|break)(?=;)", {"continue": "", "break": ""})]
_CYTHON_TOKENS = [
    (r"(?<= )(?:and|or)(?=\s)", {"and": "or", "or": "and"}),
    (r"\bnot (?!in\b)", {"not ": ""}),
    (r"\b(?:True|False)\b", {"True": "False", "False": "True"}),
    (r"(?<= )(?:continue|break)$", {"continue": "pass", "break": "pass"}),
]


def _of_c(source: str, suffix: str) -> Iterator[tuple[int, int, str]]:
    is_cython = suffix in (".pyx", ".pxd")
    ignored = _CYTHON_IGNORED if is_cython else _C_IGNORED
    # What no mutant may touch is spaces of the same length.
    code = ignored.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    for pattern, changes in [*_TOKENS, *(_CYTHON_TOKENS if is_cython else _C_TOKENS)]:
        for match in re.finditer(pattern, code, re.MULTILINE):
            old, line = match[0], code[code.rfind("\n", 0, match.start()) + 1 : match.end()]
            in_loop = re.search(r"\bfor \([^)]*$", line) and old in ("<", "<=")
            if in_loop:  # the last turn is left out: one more would read beyond the end
                yield match.start(), match.end(), f"+ 1 {old}"
                continue
            new: Iterable[str] = _numbers(old) if changes is None else changes.get(old, ())
            for after in (new,) if isinstance(new, str) else new:
                yield match.start(), match.end(), after


def _numbers(old: str) -> list[str]:
    """Other numbers: 1 for 0 and 0 for 1, which may stand for false and true."""
    if "." in old:
        return [repr(2.0 * float(old) or 1.0)]
    value = int(old)
    return [str(value - 1), str(value + 1)][value < 1 : 1 + (value > 1 or value < 1)]
