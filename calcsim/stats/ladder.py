"""How many steps there are from the weakest to the strongest of some policies."""

from __future__ import annotations

from collections.abc import Sequence


def ladder(beats: Sequence[Sequence[bool]]) -> list[int]:
    """Return the longest chain of policies each of which beats all those below it, the strongest first.

    Each has to beat all below, not only the next one: rock, paper and scissors are two steps, not three.

    Parameters
    ----------
    beats
        Whether a policy (row) beats another (column).

    Examples
    --------
    >>> ladder([[False, True, True], [False, False, True], [False, False, False]])
    [0, 1, 2]
    >>> len(ladder([[False, True, False], [False, False, True], [True, False, False]]))
    2
    """
    beaten = [{j for j, wins in enumerate(row) if wins} for row in beats]

    def longest(below: set[int]) -> list[int]:
        best: list[int] = []
        for top in sorted(below):
            if len(below & beaten[top]) + 1 > len(best):
                chain = [top, *longest(below & beaten[top])]
                best = max(best, chain, key=len)
        return best

    return longest(set(range(len(beaten))))
