"""Looking for weights: what is found, what is honest about it, and going on where it was."""

from __future__ import annotations

import itertools
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calcsim.errors import CalcsimError, UsageError
from calcsim.experiments.evolution import FIRST_DEAL, Course, Generation, Search, read_state, write_state

TARGET = np.array([1.0, 0.5, -0.8, 0.3, 0.0, -0.2])
START = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
SEARCH = Search(generations=30, population=10, deals=100, most_deals=800, seed=7)


class Judge:
    """Plays nothing: a point is worth the more, the smaller its angle to the target."""

    def __init__(self, noise: float = 0.0) -> None:
        self.noise = noise
        self.asked: list[tuple[int, int, int, int]] = []

    def worth(self, point: tuple[float, ...]) -> float:
        return float(np.dot(point, TARGET) / np.linalg.norm(point) / np.linalg.norm(TARGET))

    def __call__(self, points, recruits, first, deals):
        self.asked.append((len(points), len(recruits), first, deals))
        luck = np.random.default_rng(first).normal(0, self.noise / np.sqrt(deals), len(points))
        return np.array(
            [[self.worth(point) + x] * (1 + len(recruits)) for point, x in zip(points, luck, strict=True)]
        )


def course(search: Search = SEARCH, noise: float = 0.0, done: list[Generation] | None = None) -> Course:
    return Course(search, START, Judge(noise), done or [])


def advance(running: Course, generations: int) -> Course:
    for _ in range(generations):
        running.advance()
    return running


def judge_of(running: Course) -> Judge:
    judge = running.evaluate
    assert isinstance(judge, Judge)
    return judge


def test_the_middle_comes_close_to_what_is_best():
    found = advance(course(), 30)
    assert judge_of(found).worth(found.middle()) > 0.99


def test_noise_is_averaged_away():
    found = advance(course(noise=2.0), 40)
    assert judge_of(found).worth(found.middle()) > 0.9


def test_the_same_seed_finds_the_same_and_another_seed_another():
    one, other = advance(course(), 5), advance(course(), 5)
    assert one.done == other.done
    assert advance(course(replace(SEARCH, seed=8)), 5).middle() != one.middle()


def test_no_other_generator_is_touched():
    np.random.seed(3)
    before = np.random.get_state()[1].copy()
    advance(course(), 3)
    assert (np.random.get_state()[1] == before).all()


def test_each_generation_plays_new_deals_which_no_other_command_plays():
    judge = judge_of(advance(course(), 10))
    firsts = [(first, deals) for _, _, first, deals in judge.asked]
    assert firsts[0][0] == FIRST_DEAL
    assert all(first == before + deals for (before, deals), (first, _) in itertools.pairwise(firsts))


def test_the_deals_rise_as_the_candidates_draw_together_up_to_the_most():
    deals = [g.deals for g in advance(course(), 30).done]
    assert deals[0] == SEARCH.deals
    assert deals == sorted(deals)
    assert deals[-1] == SEARCH.most_deals


def test_the_middle_plays_along_without_a_say():
    found = advance(course(), 3)
    judge = judge_of(found)
    assert [points for points, *_ in judge.asked] == [SEARCH.population + 1] * 3
    assert [len(g.fitness) for g in found.done] == [SEARCH.population] * 3
    assert found.done[0].against == (pytest.approx(judge.worth(START)),)


def test_the_middle_joins_the_league_now_and_then_and_the_newest_two_stay():
    found = advance(course(replace(SEARCH, recruit=3)), 12)
    assert [recruits for _, recruits, *_ in judge_of(found).asked] == [0] * 3 + [1] * 3 + [2] * 6
    assert found.recruits[-1] == found.middle()
    assert [len(g.against) for g in found.done] == [1] * 3 + [2] * 3 + [3] * 6


def test_points_that_are_all_worth_the_same_end_nothing():
    flat = Course(SEARCH, START, lambda points, recruits, first, deals: np.zeros((len(points), 1)))
    assert len(advance(flat, 20).done) == 20


@pytest.mark.parametrize("kept", [0, 1, 7])
def test_a_course_goes_on_exactly_where_it_was(tmp_path: Path, kept: int):
    search = replace(SEARCH, recruit=3)
    whole = advance(course(search), 10)
    write_state(tmp_path / "state.json", {}, whole.done[:kept])
    again = course(search, done=read_state(tmp_path / "state.json", {}))
    assert judge_of(again).asked == []
    advance(again, 10 - kept)
    assert (again.done, again.middle(), again.recruits) == (whole.done, whole.middle(), whole.recruits)


def test_a_state_that_does_not_come_out_again_is_refused():
    done = advance(course(), 3).done
    done[2] = replace(done[2], middle=tuple(x + 0.01 for x in done[2].middle))
    with pytest.raises(CalcsimError, match=r"generation 3 comes out otherwise than before.*--out"):
        course(done=done)


def test_no_state_is_an_empty_one(tmp_path: Path):
    assert read_state(tmp_path / "state.json", {}) == []


def test_the_state_of_another_tuning_is_refused_by_what_is_other(tmp_path: Path):
    path = tmp_path / "state.json"
    write_state(path, {"players": 4, "seed": 1}, [])
    assert read_state(path, {"players": 4, "seed": 1}) == []
    with pytest.raises(UsageError, match=r"with another players \(4, not 3\); remove it"):
        read_state(path, {"players": 3, "seed": 1})


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"tuning": {}}', json.dumps({"tuning": {}, "generations": [1]})]
)
def test_a_broken_state_is_refused(tmp_path: Path, text: str):
    path = tmp_path / "state.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"cannot go on from .* remove it to begin anew"):
        read_state(path, {})


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "cma", None)
    with pytest.raises(UsageError, match=r"needs the package 'cma': pip install 'calcsim\[tune\]'"):
        course()
