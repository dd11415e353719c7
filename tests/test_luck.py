"""The share of luck of the deal: on a model where it is known, and on games."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from calcsim.engine import columns, driver
from calcsim.errors import UsageError
from calcsim.experiments.luck import deal_luck, luck_share
from calcsim.rules import load_rules


def wins_of(chances: NDArray[np.float64], replays: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Replay deals on which seats have known chances; shape (seats, deals)."""
    return rng.multinomial(replays, chances).T


def chances_of(deals: int, seats: int, swing: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return chances by deal: one seat, drawn by lot, has `swing` more than its fair share 1/seats."""
    base = np.full((deals, seats), (1 - swing) / seats)
    base[np.arange(deals), rng.integers(seats, size=deals)] += swing
    return base


@pytest.mark.parametrize(("seats", "swing"), [(2, 0.3), (4, 0.5), (6, 0.1), (4, 0.0), (3, 1.0)])
def test_a_known_share_is_found(seats: int, swing: float):
    """The chance is f + s (1 - f) with probability f, else f - s f: its variance is s² f (1 - f)."""
    rng = np.random.default_rng(1)
    found = luck_share(wins_of(chances_of(20_000, seats, swing, rng), 10, rng), 10)
    assert found.share.estimate == pytest.approx(swing**2, abs=0.01)
    fair = 1 / seats
    assert found.spread == pytest.approx(swing * math.sqrt(fair * (1 - fair)), abs=0.02)
    if swing == 1:
        assert found.share.error == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("replays", [2, 3, 20])
def test_few_replays_do_not_bias_it(replays: int):
    rng = np.random.default_rng(2)
    shares = [
        luck_share(wins_of(chances_of(300, 4, 0.4, rng), replays, rng), replays).share.estimate
        for _ in range(400)
    ]
    assert np.mean(shares) == pytest.approx(0.16, abs=4 * np.std(shares) / 20 + 0.001)


def test_its_interval_covers():
    rng = np.random.default_rng(3)
    found = [luck_share(wins_of(chances_of(400, 4, 0.4, rng), 12, rng), 12).share for _ in range(1000)]
    covered = sum(one.low <= 0.16 <= one.high for one in found)  # type: ignore[operator]
    assert 925 <= covered <= 970  # 950 ± 3.5 errors
    errors = [one.error for one in found]
    assert np.mean(errors) == pytest.approx(np.std([one.estimate for one in found]), rel=0.1)  # type: ignore[arg-type]


def test_the_jackknife_is_that_of_leaving_deals_out():
    rng = np.random.default_rng(4)
    wins = wins_of(chances_of(12, 3, 0.5, rng), 5, rng)
    without = [luck_share(np.delete(wins, i, axis=1), 5).share.estimate for i in range(12)]
    expected = math.sqrt(11 * np.var(without))
    assert luck_share(wins, 5).share.error == pytest.approx(expected)


def test_the_formula_is_that_of_one_seat():
    """STATISTICS 3: var(r) - mean(r (1 - r)) / (M - 1), divided by r (1 - r)."""
    wins = np.array([[0, 3, 5, 1]])
    r = wins[0] / 6
    expected = (np.var(r, ddof=1) - np.mean(r * (1 - r)) / 5) / (r.mean() * (1 - r.mean()))
    assert luck_share(wins, 6).share.estimate == pytest.approx(expected)


def test_where_one_seat_always_wins_there_is_nothing_to_share():
    found = luck_share(np.array([[4, 4, 4], [0, 0, 0]]), 4)
    assert math.isnan(found.share.estimate)
    assert found.share[1:] == (None, None, None)
    assert found.spread == 0


def test_one_odd_deal_leaves_a_finite_error():
    """Without that deal nothing would vary."""
    found = luck_share(np.array([[4, 4, 3], [0, 0, 1]]), 4)
    assert math.isfinite(found.share.error or 0.0)


@pytest.fixture(scope="module")
def greedy() -> driver.Cell:
    return driver.prepare(load_rules("advanced"), 4, ["greedy"])


def test_replays_are_the_same_deals_with_other_choices():
    rules = load_rules("advanced", ("turn_limit=2",))
    cell = driver.prepare(rules, 4, ["greedy"])
    games = [
        next(driver.blocks(cell, seed=5, games=500, map=lambda _, out: out.copy(), noise=noise))
        for noise in range(3)
    ]
    assert (games[0] != games[1]).any()
    assert (games[1] != games[2]).any()
    # What the first player may do comes from the deal alone.
    one_turn = driver.prepare(load_rules("advanced", ("turn_limit=1",)), 4, ["greedy"])
    actions = [
        next(
            driver.blocks(
                one_turn,
                seed=5,
                games=500,
                map=lambda _, out: out[columns.game("actions_free")].copy(),
                noise=noise,
            )
        )
        for noise in range(3)
    ]
    assert (actions[0] == actions[1]).all()
    assert (actions[0] == actions[2]).all()
    assert len(set(actions[0].tolist())) > 5


def test_the_wins_are_those_of_the_replays(greedy: driver.Cell):
    found = deal_luck(greedy, seed=5, deals=120, replays=4, first=30)
    places = [columns.seat("place", seat) for seat in range(4)]
    wins = sum(
        next(
            driver.blocks(
                greedy, seed=5, first=30, games=120, noise=noise, map=lambda _, out: out[places] == 1
            )
        ).astype(np.int64)
        for noise in range(4)
    )
    assert found == luck_share(np.asarray(wins), 4)
    assert (found.deals, found.replays, found.level) == (120, 4, 0.95)


def test_games_have_some_luck_of_the_deal_and_not_only_that(greedy: driver.Cell):
    found = deal_luck(greedy, seed=5, deals=1000, replays=10)
    assert found.share.low is not None
    assert 0.1 < found.share.low < found.share.estimate < 0.3


def test_threads_change_nothing(greedy: driver.Cell):
    told: list[int] = []
    one = deal_luck(greedy, seed=5, deals=50, replays=6, threads=1, progress=told.append)
    assert one == deal_luck(greedy, seed=5, deals=50, replays=6, threads=4)
    assert told == [50, 100, 150, 200, 250, 300]


@pytest.mark.parametrize(("deals", "replays", "said"), [(2, 50, "3 or more"), (100, 1, "2 or more")])
def test_too_few_are_refused(greedy: driver.Cell, deals: int, replays: int, said: str):
    with pytest.raises(UsageError, match=said):
        deal_luck(greedy, seed=5, deals=deals, replays=replays)
