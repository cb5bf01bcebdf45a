"""Which number of clusters is suggested, and why: the rule, the table and the words.

Numbers of clusters that are much less stable than the most stable one are out. Of the others those
count whose silhouette is clearest, that is farthest above what rows without groups would give; and
where several are as clear, the fewest clusters are taken. How often that meets the number of
classes of labelled tables is measured by ``benchmarks/panel.py --suggest``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape

from agathis._suggest.tuning import AS_CLEAR, AS_STABLE, SHAKY, WEAK
from agathis._support.result_table import Table


@dataclass(frozen=True)
class Candidate:
    """A number of clusters, and what a tree makes of it.

    Attributes
    ----------
    clusters : int
    leaves : int
        The fewest that make 99 % of what a tree can gain.
    explained : float
        The share of the spread of the rows that the clusters account for.
    silhouette : float
        Up to 1: how tight the clusters are, and how far apart.
    chance : float
        The silhouette that as many clusters have in rows that spread alike but have no groups.
    stability : float
        How well the trees of two halves of the rows agree on all of them: the mean ARI.
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
    """What :func:`suggest` found; its text is the table of candidates, and the reasons.

    Attributes
    ----------
    candidates : tuple of Candidate
        One for each number of clusters from 2 on that trees reach.
    note : str
        Of how many rows the figures are, where it is not all of them.
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
        """The fewest clusters that are as clear as the clearest of the stable ones."""
        enough = max(one.clearness for one in self.stable) - AS_CLEAR
        return next(one for one in self.stable if one.clearness >= enough)

    @property
    def next_best(self) -> Candidate | None:
        """The clearest of the others that are stable; where there are none, the most stable."""
        stable = [one for one in self.stable if one is not self.best]
        if stable:
            return max(stable, key=lambda one: one.clearness)
        others = [one for one in self.candidates if one is not self.best]
        return max(others, key=lambda one: one.stability, default=None)

    @property
    def n_clusters(self) -> int:
        """The number of clusters that is proposed."""
        return self.best.clusters

    @property
    def max_leaf_nodes(self) -> int:
        """The number of leaves that is proposed."""
        return self.best.leaves

    @property
    def reasons(self) -> str:
        """Why they are proposed, in a few sentences."""
        return self.in_words("max_clusters")

    @property
    def table(self) -> Table:
        """The candidates, a row each, with what decided."""
        return Table([asdict(one) | {"decided": self.verdict(one)} for one in self.candidates])

    def verdict(self, one: Candidate) -> str:
        """What decided on a candidate, in a word or two."""
        best = self.best
        if one is best:
            return "suggested"
        if not any(one is other for other in self.stable):
            return "less stable"
        as_clear = one.clearness >= max(other.clearness for other in self.stable) - AS_CLEAR
        return "as clear, not fewer" if as_clear else "less clear"

    def in_words(self, limit: str) -> str:
        """The reasons, with a name for the argument that limits the number of clusters."""
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
        out += self.doubts(limit)
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

    def doubts(self, limit: str) -> list[str]:
        """What speaks against the best number, a sentence each."""
        best, out = self.best, []
        if best.silhouette < WEAK or best.clearness < 0:
            out.append("no number of clusters stands out: groups in these rows run into each other")
        if best.stability < SHAKY:
            out.append("other rows may give other groups, as no number of them is stable")
        if not out and best is self.candidates[-1] and len(self.candidates) > 1:
            out.append(f"it is the last that was tried: {limit} may show a better one")
        return [f"But {doubt}." for doubt in out]

    def __repr__(self) -> str:
        return f"{self.table}\n\n{self.reasons}"

    def _repr_html_(self) -> str:
        return f"{self.table._repr_html_()}<p>{escape(self.reasons)}</p>"
