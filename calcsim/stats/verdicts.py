"""Verdicts on differences against a margin: the smallest difference that would matter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from calcsim.stats.families import holm
from calcsim.stats.intervals import LEVEL, SMALL_SAMPLE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

Word: TypeAlias = Literal["matters", "no matter", "undecided"]

WORDS: Final[dict[Word, str]] = {
    "matters": "beyond the margin: the interval around the difference lies outside it",
    "no matter": "within the margin: both one-sided tests say that the difference is smaller",
    "undecided": "the deals played do not tell whether it is beyond the margin or within",
}
"""What each verdict means."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a difference matters.

    Attributes
    ----------
    word
        A key of `WORDS`.
    p_beyond, p_within
        Holm-adjusted p-values: how well what was seen would agree with a difference that is within the
        margin, and with one beyond it. NaN where there is no difference to judge.
    more
        Further deals that a decision would take if the difference stayed as it is; None where there is a
        decision, or no number of deals would bring it.
    """

    word: Word
    p_beyond: float
    p_within: float
    more: int | None = None

    @property
    def p(self) -> float:
        """The p-value of the side that decides, or that is closer to it."""
        if self.word == "matters":
            return self.p_beyond
        if self.word == "no matter":
            return self.p_within
        return min(self.p_beyond, self.p_within)


def judge(
    differences: ArrayLike, errors: ArrayLike, margins: ArrayLike, deals: int, level: float = LEVEL
) -> list[Verdict]:
    """Return verdicts on the differences of one family; with probability `level` none of them is wrong.

    A difference *matters* if its interval lies outside ±margin. It is *no matter* if that of twice the error
    probability lies inside (two one-sided tests: the 90 % interval for a level of 95 %). Holm's adjustment is
    made for each side.

    Parameters
    ----------
    differences, errors
        Differences and their standard errors. An error of 0 decides: the deals differ always, or never.
    margins
        The smallest difference that would matter, for each; 0 or more.
    deals
        Deals that each difference was seen on.
    level
        Of all verdicts together.

    Examples
    --------
    >>> [verdict.word for verdict in judge([5.0, 0.1, 1.3], [0.2, 0.2, 0.2], [1.0, 1.0, 1.0], 10_000)]
    ['matters', 'no matter', 'undecided']
    """
    sizes = np.abs(np.asarray(differences, dtype=np.float64))
    spread = np.asarray(errors, dtype=np.float64)
    limits = np.broadcast_to(np.asarray(margins, dtype=np.float64), sizes.shape)
    beyond = _standardised(sizes, limits, spread)
    one_sided_beyond, one_sided_within = _tail(-beyond, deals), _tail(beyond, deals)
    raw_beyond, raw_within = np.minimum(2.0 * one_sided_beyond, 1.0), one_sided_within
    p_beyond, p_within = holm(raw_beyond), holm(raw_within)
    alpha = 1.0 - level
    further = np.where(
        beyond > 0,
        _further(raw_beyond, beyond, alpha / 2, deals),
        _further(raw_within, -beyond, alpha, deals),
    )
    verdicts = []
    for outer, inner, more in zip(p_beyond.tolist(), p_within.tolist(), further.tolist(), strict=True):
        if outer <= alpha:
            verdicts.append(Verdict("matters", outer, inner))
        elif inner <= alpha:
            verdicts.append(Verdict("no matter", outer, inner))
        else:
            needed = max(math.ceil(more), 1) if math.isfinite(more) else None
            verdicts.append(Verdict("undecided", outer, inner, needed))
    return verdicts


def _standardised(sizes: Floats, margins: Floats, errors: Floats) -> Floats:
    """Return by how many errors each difference lies beyond its margin, negative within it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        beyond = np.asarray((sizes - margins) / errors)
    # Nothing varies: a difference on the margin is one that matters, no difference at all is not.
    exact = (errors == 0) & (sizes == margins)
    return np.where(exact, np.where(sizes > 0, np.inf, -np.inf), beyond)


def _tail(t: Floats, deals: int) -> Floats:
    """Return the probability of a value below `t`: Student's where there are few deals."""
    from scipy.special import ndtr, stdtr

    return np.asarray(ndtr(t) if deals >= SMALL_SAMPLE else stdtr(max(deals - 1, 1), t))


def _further(p: Floats, distances: Floats, alpha: float, deals: int) -> Floats:
    """Return the further deals until each would be decided on one side, if all stay as they are.

    Parameters
    ----------
    p
        Unadjusted p-values of that side.
    distances
        How many errors each lies on that side of its margin.
    alpha
        Probability that a single one may lie outside on one side by chance.
    deals
        Deals played.
    """
    from scipy.special import ndtri

    order = np.argsort(p)[: np.count_nonzero(~np.isnan(p))]
    # Holm: the k-th smallest is held against alpha / (count + 1 - k), once all smaller ones have passed.
    # Errors shrink alike, so the order stays; distances grow with the root of the deals.
    needed = -ndtri(alpha / np.arange(len(order), 0, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.where(distances[order] > 0, (needed / distances[order]) ** 2, np.inf)
    further = np.full(len(p), np.nan)
    further[order] = deals * (np.maximum.accumulate(factors) - 1.0)
    return further
