"""The suggested number of clusters: the rule, the table and the reasons.

Numbers of clusters that are much less stable than the most stable one are excluded. Among the
others, separation is the silhouette above that of rows without clusters; of several with about the
maximum, the fewest clusters are suggested. ``benchmarks/panel.py --suggest`` measures how often
this is the number of classes of labelled tables.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape

from agathis._columns.errors import Advice, Note
from agathis._suggest.tuning import AS_CLEAR, AS_STABLE, SHAKY, WEAK
from agathis._utils.result_table import Table


@dataclass(frozen=True)
class Candidate:
    """A number of clusters, with the scores of its tree.

    Attributes
    ----------
    clusters : int
    leaves : int
        The minimum number that makes 99 % of the possible gains.
    explained : float
        The fraction of the variance that the clusters explain.
    silhouette : float
        Up to 1: how tight and well separated the clusters are.
    chance : float
        The silhouette of as many clusters in rows of the same covariance without clusters.
    stability : float
        The mean ARI of trees of random halves of the rows.
    """

    clusters: int
    leaves: int
    explained: float
    silhouette: float
    chance: float
    stability: float

    @property
    def clearness(self) -> float:
        """The silhouette above chance."""
        return self.silhouette - self.chance


@dataclass(frozen=True, repr=False)
class Suggestion:
    """The result of :func:`suggest`; printed as the table of candidates, and the reasons.

    Attributes
    ----------
    candidates : tuple of Candidate
        One for each number of clusters from 2 on that trees reach.
    note : str
        The number of sampled rows, if not all were used.
    """

    candidates: tuple[Candidate, ...]
    note: str = ""

    @property
    def stable(self) -> list[Candidate]:
        """The candidates that are about as stable as the most stable one."""
        enough = max(one.stability for one in self.candidates) - AS_STABLE
        return [one for one in self.candidates if one.stability >= enough]

    @property
    def best(self) -> Candidate:
        """The fewest clusters among the stable ones with about the maximum separation."""
        enough = max(one.clearness for one in self.stable) - AS_CLEAR
        return next(one for one in self.stable if one.clearness >= enough)

    @property
    def next_best(self) -> Candidate | None:
        """The other stable candidate with the best separation, or else the most stable one."""
        stable = [one for one in self.stable if one is not self.best]
        if stable:
            return max(stable, key=lambda one: one.clearness)
        others = [one for one in self.candidates if one is not self.best]
        return max(others, key=lambda one: one.stability, default=None)

    @property
    def n_clusters(self) -> int:
        """The suggested number of clusters."""
        return self.best.clusters

    @property
    def max_leaf_nodes(self) -> int:
        """The suggested number of leaves."""
        return self.best.leaves

    @property
    def reasons(self) -> str:
        """The reasons, in a few sentences."""
        return self.in_words()

    @property
    def table(self) -> Table:
        """The candidates, one per row, with the decision."""
        return Table([asdict(one) | {"decided": self.column_type(one)} for one in self.candidates])

    def column_type(self, one: Candidate) -> str:
        """The decision on a candidate, in a few words."""
        best = self.best
        if one is best:
            return "suggested"
        if not any(one is other for other in self.stable):
            return "less stable"
        as_clear = one.clearness >= max(other.clearness for other in self.stable) - AS_CLEAR
        return "as clear, not fewer" if as_clear else "less clear"

    def in_words(self, limit: str = "max_clusters") -> str:
        """The reasons, given the name of the option that limits the number of clusters."""
        best, second = self.best, self.next_best
        out = [
            f"{best.clusters} clusters: {self._why(best)}. Their mean silhouette is "
            f"{best.silhouette:.2f}, where rows without groups would give {best.chance:.2f}; trees "
            f"of two halves of the rows agree on them with an ARI of {best.stability:.2f}."
        ]
        spread = f"They explain {100 * best.explained:.0f} % of the spread"
        after = next((one for one in self.candidates if one.clusters == best.clusters + 1), None)
        if after is not None:
            spread += f", and one more adds {100 * (after.explained - best.explained):.0f} %"
        out.append(f"{spread}; {best.leaves} leaves make 99 % of what a tree can gain.")
        if second is not None:
            out.append(
                f"Next are {second.clusters} clusters, with a silhouette of "
                f"{second.silhouette:.2f} ({second.chance:.2f} by chance) and an ARI of "
                f"{second.stability:.2f}."
            )
        out += map(str, self.doubts(limit))
        return " ".join([*out, *([self.note] if self.note else [])])

    def _why(self, best: Candidate) -> str:
        if len(self.candidates) == 1:
            return "no other number was tried"
        clearest = max(self.stable, key=lambda one: one.clearness)
        out = "the clearest groups" if best is clearest else "the fewest that are as clear as any"
        if best.stability < SHAKY:
            return out
        dropped = len(self.candidates) - len(self.stable)
        return out + (" of those that are stable" if dropped else ", and stable")

    def doubts(self, limit: str | None = None) -> list[Note]:
        """Doubts about the suggestion, one sentence each; ``limit`` is the option to raise."""
        best, way = self.best, limit or Advice("n_clusters")
        out: list[tuple[object, ...]] = []
        if best.silhouette < WEAK or best.clearness < 0:
            out.append(
                ("No number of clusters stands out: groups in these rows run into each other.",)
            )
        if best.stability < SHAKY:
            out.append(("Other rows may give other groups, as no number of them is stable.",))
        if not out and best is self.candidates[-1] and len(self.candidates) > 1:
            out.append(
                (f"{best.clusters} clusters are the most that were tried: ", way, " allows more.")
            )
        return [Note(parts, doubtful=True) for parts in out]

    def __repr__(self) -> str:
        return f"{self.table}\n\n{self.reasons}"

    def _repr_html_(self) -> str:
        return f"{self.table._repr_html_()}<p>{escape(self.reasons)}</p>"
