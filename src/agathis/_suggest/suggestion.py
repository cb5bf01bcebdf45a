"""The suggested number of clusters: the table of candidates, the reasons and the nested trees.

``benchmarks/evidence.py`` measures how often groups are claimed where there are none, and how often
planted groups are found; ``benchmarks/panel.py --suggest``, how often the suggestion is the number
of classes of labelled tables.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape

from agathis._columns.errors import Note
from agathis._evidence import coarser
from agathis._model.evidence import Evidence
from agathis._trees.tree import Tree
from agathis._utils.result_table import Table

#: Digits of the figures in the table.
_DIGITS = {"explained": 3, "pvalue": 4, "recurrence": 2}


@dataclass(frozen=True)
class Candidate:
    """A number of clusters, and the evidence of the split that makes it of one cluster fewer.

    Attributes
    ----------
    clusters : int
    explained : float
        The fraction of the variance that the clusters explain.
    pvalue : float
        The p-value of one mode at the split.
    recurrence : float
        The fraction of random halves of the rows that give the same split.
    """

    clusters: int
    explained: float
    pvalue: float
    recurrence: float


@dataclass(frozen=True, repr=False)
class Suggestion:
    """The result of :func:`suggest`; printed as the table of candidates, and the reasons.

    Attributes
    ----------
    candidates : tuple of Candidate
        One for each number of clusters from 2 on.
    n_clusters : int
        The suggested number of clusters; 1 if no groups could be shown.
    evidence : Evidence
        That of the table, and of the splits of the nested trees.
    finest : Tree
        The nested tree with the most clusters.
    n_rows : int
        The number of rows given; more than 10,000 are sampled.
    """

    candidates: tuple[Candidate, ...]
    n_clusters: int
    evidence: Evidence
    finest: Tree
    n_rows: int

    def tree(self, n_clusters: int) -> Tree:
        """Return the nested tree with so many clusters; a finer one splits one of its leaves.

        Parameters
        ----------
        n_clusters : int
            From 1 to the number of candidates and 1.

        Returns
        -------
        tree : Tree
        """
        if not 1 <= n_clusters <= self.finest.n_leaves:
            most = self.finest.n_leaves
            raise ValueError(f"n_clusters={n_clusters!r} must be from 1 to {most}.")
        return coarser(self.finest, n_clusters)

    @property
    def reasons(self) -> str:
        """The reasons, in a few sentences."""
        return self.in_words()

    @property
    def table(self) -> Table:
        """The candidates, one per row, with the decision."""
        rows = [{**asdict(one), "decided": self.decided(one)} for one in self.candidates]
        for row in rows:
            row |= {name: round(row[name], digits) for name, digits in _DIGITS.items()}
        return Table(rows)

    def decided(self, one: Candidate) -> str:
        """The decision on a candidate, in a few words."""
        if one.clusters == self.n_clusters:
            return "suggested"
        return "coarser" if one.clusters < self.n_clusters else "not shown"

    def in_words(self, limit: str = "max_clusters") -> str:
        """The reasons, given the name of the option that limits the number of clusters."""
        out = [self._why()] if self.evidence.shown else []
        if self.evidence.shown and self.n_clusters == self.candidates[-1].clusters:
            out.append(f"It is the last that was tried: {limit} may show more.")
        out += map(str, self.doubts())
        if self.evidence.n_rows < self.n_rows:
            n, of = self.evidence.n_rows, self.n_rows
            out.append(f"The figures are those of {n:,} of the {of:,} rows.")
        return " ".join(out)

    def _why(self) -> str:
        k = self.n_clusters
        best = self.candidates[k - 2]
        more = ""
        if k <= len(self.candidates):
            added = self.candidates[k - 1].explained - best.explained
            more = f", and one more would add {100 * added:.0f} %"
        return (
            f"{k} clusters: random halves of the rows are split so, and their other halves have "
            f"more than one mode there (p = {self.evidence.pvalue:.2g}). They explain "
            f"{100 * best.explained:.0f} % of the variance{more}."
        )

    def doubts(self) -> list[Note]:
        """Return why there may be fewer clusters, for the page."""
        return [] if self.evidence.shown else self.evidence.doubts()

    def __repr__(self) -> str:
        return f"{self.table}\n\n{self.reasons}"

    def _repr_html_(self) -> str:
        return f"{self.table._repr_html_()}<p>{escape(self.reasons)}</p>"
