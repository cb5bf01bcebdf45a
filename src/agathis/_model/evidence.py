"""The evidence that the groups of a table are more than one, as a model stores it."""

from __future__ import annotations

from dataclasses import dataclass

from agathis._columns.errors import Note

#: The usual level of significance.
LEVEL = 0.05


@dataclass(frozen=True)
class SplitEvidence:
    """The evidence of a split.

    Attributes
    ----------
    node : int
        The node of the tree.
    pvalue : float
        The p-value of one mode among the rows of the node, corrected for the number of splits; 1 if
        fewer than half of the repeats found the split.
    recurrence : float
        The fraction of random halves of the rows that give the same split.
    low, high : float or None
        The interval of the threshold over the repeats, in units of the table; None for categories.
    """

    node: int
    pvalue: float
    recurrence: float
    low: float | None = None
    high: float | None = None

    @property
    def shown(self) -> bool:
        """Whether one mode is rejected."""
        return self.pvalue <= LEVEL


@dataclass(frozen=True)
class RuleEvidence:
    """The evidence of a cluster, and with it of its rule.

    Attributes
    ----------
    cluster : int
    pvalue : float
        The p-value of one mode at the split that separates these rows from others, corrected for
        the number of splits; 1 if fewer than half of the repeats have such a split.
    recurrence : float
        The fraction of random halves of the rows that give the same group.
    """

    cluster: int
    pvalue: float
    recurrence: float

    @property
    def shown(self) -> bool:
        """Whether one mode is rejected."""
        return self.pvalue <= LEVEL


@dataclass(frozen=True)
class Evidence:
    """The result of :func:`agathis.evidence`.

    Attributes
    ----------
    pvalue : float
        The p-value of one group, from the halves of the table.
    n_rows : int
        The number of rows tested.
    splits : tuple of SplitEvidence
        One for each split of the tree, in the order of its nodes.
    rules : tuple of RuleEvidence
        One for each cluster.
    distance : float or None
        How many standard deviations apart two groups of equal size have to be, so that they are
        seen at this number of rows in four of five tables; None if there are too few rows.
    fraction : float or None
        The fraction of the rows that a group far from all others needs for that.
    """

    pvalue: float
    n_rows: int
    splits: tuple[SplitEvidence, ...] = ()
    rules: tuple[RuleEvidence, ...] = ()
    distance: float | None = None
    fraction: float | None = None

    @property
    def shown(self) -> bool:
        """Whether more than one group is shown: the p-value is at most 0.05."""
        return self.pvalue <= LEVEL

    @property
    def of_node(self) -> dict[int, SplitEvidence]:
        """The evidence of each split, by node."""
        return {split.node: split for split in self.splits}

    def doubts(self) -> list[Note]:
        """Return what this leaves in doubt, for a person who sees the groups."""
        if not self.shown:
            return [Note((f"{self.not_shown()}",), doubtful=True)]
        weak = [rule for rule in self.rules if not rule.shown]
        if not weak:
            return []
        which = f"{len(weak)} of the {len(self.rules)} groups"
        is_not = "is" if len(weak) == 1 else "are"
        text = f"{which} {is_not} not confirmed by halves of the rows: other rows may give others "
        return [Note((f"{text}in {'its' if len(weak) == 1 else 'their'} place.",), doubtful=True)]

    def not_shown(self) -> str:
        """Say that no groups could be shown, and which groups could have been."""
        if self.distance is None or self.fraction is None:
            return (
                f"No groups could be shown: {self.n_rows:,} rows are too few for that. It does "
                "not mean that there are none."
            )
        return (
            f"No groups could be shown in these {self.n_rows:,} rows (p = {self.pvalue:.2g}), "
            "which does not mean that there are none. To be seen at this number of rows, two "
            f"groups of equal size have to be about {self.distance:.1f} standard deviations apart, "
            f"and a group far from all others needs {100 * self.fraction:.0f} % of the rows."
        )
