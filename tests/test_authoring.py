"""Players by hand: decorators, parameters, and the functions that authors read the game with."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calcsim import players, policies, policy, scorer
from calcsim.cards import NUMBER_NAMES
from calcsim.engine import layout as at
from calcsim.engine import view as seen
from calcsim.engine.driver import blocks, prepare
from calcsim.errors import PolicyError, UsageError
from calcsim.notation.actions import action_dict
from calcsim.notation.table import Table
from calcsim.policies.authoring import mark_of
from calcsim.policies.checking import observe
from calcsim.policies.positions import Stream, deal, random_rules
from calcsim.rules import PRESETS, load_rules

PLAYERS = """
from calcsim import policy, scorer
from calcsim.players import HANDOFF, PASS, below, cards, chance, helper, jokers, kind

@policy(shift=(0.0, -5.0, 5.0), least=2)
def shifted(view, legal, n, params, rng):
    return min(n - 1, max(0, n - 1 - int(params[0]))) if n >= params[1] else n - 1

@helper
def rated(action):
    return float(cards(action)) if kind(action) != HANDOFF else -1.0

@scorer
def sheds(view, action, params):
    return rated(action)

@scorer(weight=0.0)
def by_weight(view, action, params):
    return params[0] * kind(action)

@scorer
def whole(view, action, params):
    return cards(action)

@scorer
def nothing(view, action, params):
    return float("nan")

@scorer
def words(view, action, params):
    return "good"

@scorer
def never(view, action, params):
    raise ValueError("never")

@scorer
def five(view, legal, n, params, rng):
    return n

@policy
def three(view, action, params):
    return 0

@policy
def broken(view, legal, n, params, rng):
    return nonsense(n)

@policy
def again(view, legal, n, params, rng):
    return shifted(view, legal, n, params, rng)

@policy
def beyond_view(view, legal, n, params, rng):
    return hand_of(view, 10**6) + n - 1

@helper
def hand_of(view, card):
    return view[16 + card]
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("authors") / "mine.py"
    path.write_text(PLAYERS, encoding="utf-8")
    return path


def games(name: str, *, rules: str = "advanced", n: int = 200) -> Any:
    cell = prepare(load_rules(rules), 3, [name])
    return next(blocks(cell, seed=2, games=n, threads=1, map=lambda _, out: out.copy()))


def test_parameters_are_set_by_name(file: Path) -> None:
    found = policies.resolve(f"{file}:shifted:least=3", load_rules("calc"), 2)
    assert found.params == (0.0, 3.0)
    assert policies.resolve(f"{file}:shifted", load_rules("calc"), 2).params == (0.0, 2.0)
    assert not np.array_equal(games(f"{file}:shifted"), games(f"{file}:shifted:shift=1"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("shifted:shfit=1", "no option 'shfit'; did you mean 'shift'? (it takes shift, least)"),
        ("shifted:shift=6", "shift='6' must be a number from -5 to 5"),
        ("sheds:weight=1", "it takes none but forbid"),
        ("words", "does not compile: No conversion from"),
        ("never", "returns no score, whatever it is asked"),
        ("five", "must take (view, action, params)"),
        ("three", "must take (view, legal, n, params, rng) (what rates one action is marked @scorer)"),
        ("broken", "NameError: name 'nonsense' is not defined"),
    ],
)
def test_what_does_not_do_is_told_in_a_line(file: Path, name: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        policies.resolve(f"{file}:{name}", load_rules("calc"), 2)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_scorer_of_cards_plays_most_cards_as_greedy_does_but_passes(file: Path) -> None:
    cell = prepare(load_rules("calc"), 2, [f"{file}:sheds", "greedy"])
    firsts = next(blocks(cell, seed=1, games=4000, threads=1, map=lambda _, out: out[0].copy()))
    assert len(firsts) == 4000
    np.testing.assert_array_equal(games(f"{file}:sheds", rules="calc"), games(f"{file}:whole", rules="calc"))


def test_equal_scores_are_drawn_alike(file: Path) -> None:
    """All scores equal: any legal action, each as likely as the others."""
    found = policies.resolve(f"{file}:by_weight", load_rules("calc"), 2)
    view = np.zeros(seen.SIZE_VIEW, dtype=np.int64)
    legal = np.arange(5, dtype=np.int64)
    rng = np.array([7], dtype=np.uint64)
    params = np.zeros(64)
    counts = np.bincount([found.function(view, legal, 5, params, rng) for _ in range(5000)], minlength=5)
    assert ((counts - 1000.0) ** 2 / 1000).sum() < 23.5  # chi-square, 4 degrees of freedom, 1 in 10,000
    params[0] = 1.0
    assert {found.function(view, legal, 5, params, rng) for _ in range(20)} == {4}


def test_a_score_that_is_no_number_is_an_error(file: Path) -> None:
    with pytest.raises(PolicyError, match="not a number"):
        games(f"{file}:nothing")


def test_helpers_are_checked_for_wrong_indices_too(file: Path) -> None:
    with pytest.raises(PolicyError, match="IndexError"):
        games(f"{file}:beyond_view")


def test_policies_may_call_each_other(file: Path) -> None:
    np.testing.assert_array_equal(games(f"{file}:again"), games(f"{file}:shifted:least=0"))


def test_a_file_is_compiled_once_and_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    text = "def player(view, legal, n, params, rng):\n    return {}\n"
    path.write_text(text.format("n - 1"), encoding="utf-8")
    first = policies.resolve(f"{path}:player", load_rules("calc"), 2).function
    assert policies.resolve(f"{path}:player", load_rules("advanced"), 4).function is first
    path.write_text(text.format("0"), encoding="utf-8")
    assert policies.resolve(f"{path}:player", load_rules("calc"), 2).function is not first


def test_marks_say_what_was_declared() -> None:
    @scorer(a=1, b=(2, 0, 3))
    def mine(view: Any, action: Any, params: Any) -> float:
        return 0.0

    mark = mark_of(mine)
    assert mark is not None
    assert mark.form == "scorer"
    assert [(o.name, o.default, o.low, o.high) for o in mark.options][1] == ("b", 2.0, 0.0, 3.0)
    assert mark_of(test_marks_say_what_was_declared) is None


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"forbid": 1.0}, "forbid is an option of every policy"),
        ({"a": "1"}, "must be a number, or"),
        ({"a": (1.0, 2.0)}, "must be a number, or"),
        ({"a": (1.0, 2.0, 3.0)}, "the default must lie between"),
        ({f"p{i}": 0.0 for i in range(65)}, "65 parameters; 64 at most"),
    ],
)
def test_parameters_that_are_none_are_refused(declared: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        policy(**declared)
    assert message in str(refused.value)


def test_a_wrong_declaration_names_its_file(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text("from calcsim import policy\n\n@policy(forbid=1)\ndef f(): ...\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"wrong\.py': @policy: forbid is an option"):
        policies.resolve(f"{path}:f", load_rules("calc"), 2)


# The functions of `calcsim.players`, against traces and the engine.


def tables(n_rules: int = 6, moves: int = 40) -> Any:
    """Tables in the middle of games: of the presets and of rules made at random."""
    stream = Stream(11)
    rule_sets = [*PRESETS.values(), *(random_rules(stream) for _ in range(n_rules))]
    for rules in rule_sets:
        for n in (2, rules.max_players):
            try:
                table = deal(rules, n, stream)
            except (ValueError, IndexError, StopIteration):  # too many cards for so many players
                continue
            for _ in range(moves):
                if table.over:
                    break
                yield table
                actions = table._actions()
                apart = [a for a in actions if a & 15 in (players.PLAY, players.GROW, players.HANDOFF)]
                chosen = (apart or actions)[stream.below(len(apart or actions))]
                table.act(action_dict(table.state, chosen))


def view_of(table: Table) -> Any:
    view = np.zeros(seen.SIZE_VIEW, dtype=np.int64)
    observe(table.state, view)
    return view


def number_of(card: str) -> int:
    return NUMBER_NAMES.index(card.removeprefix("X="))


def test_what_actions_are_is_what_traces_say() -> None:
    kinds = {"pass": 0, "accept": 1, "stop": 2, "play": 3, "grow": 4, "handoff": 5}
    patterns = ["same", "under-joker", "sum", "difference", "product", "quotient"]
    shapes = {"line": players.GROW_LINE, "ring": players.GROW_RING, "star": players.GROW_STAR}
    n_seen = dict.fromkeys(kinds, 0)
    for table in tables():
        view = view_of(table)
        for action in random.Random(0).sample(table._actions(), min(8, len(table._actions()))):
            told = action_dict(table.state, action)
            n_seen[told["action"]] += 1
            laid = told.get("cards", [])
            assert players.kind(action) == kinds[told["action"]]
            assert players.cards(action) == len(laid)
            assert players.jokers(action) == sum(card.startswith("X") for card in laid)
            assert players.number(action) == (number_of(laid[-1]) if laid else 0)
            assert players.joker_on_top(action) == bool(laid and laid[-1].startswith("X"))
            assert players.pile(action) == told.get("pile", -1)
            assert players.target(action) == told.get("target", -1)
            given = told.get("card")
            code = 14 if given == "X" else number_of(given) if given else 0
            assert players.card(action) == code
            assert players.from_front(action) == (told.get("from") == "front")
            fits = patterns.index(told["pattern"]) if "pattern" in told else shapes.get(told.get("shape", ""))
            assert players.pattern(action) == (-1 if fits is None else fits)
            for card in range(1, 15):
                natural = sum(number_of(c) == card for c in laid if not c.startswith("X"))
                used = players.jokers(action) if card == 14 else natural
                assert players.uses(action, card) == used + (code == card)
            left = [players.left(view, action, card) for card in range(1, 15)]
            assert min(left) >= 0
            assert sum(left) == players.left_size(view, action)
    assert min(n_seen.values()) > 5


def test_streaks_and_penalties_to_come_are_what_the_engine_makes_of_them() -> None:
    n_owed = n_under = 0
    for table in tables(n_rules=20):
        view = view_of(table)
        actions = table._actions()
        state = table.state.copy()
        for action in actions[:12]:
            told = action_dict(table.state, action)
            if told["action"] not in ("play", "grow"):
                assert players.streak_after(view, action) == players.penalty(view, action) == 0
                continue
            streak, owes = players.streak_after(view, action), players.penalty(view, action)
            table.act(told)
            after = table.state
            top = players.number(action)
            place = told["pile"] if "pile" in told else int(after[at.N_PILES]) - 1
            same_pile = after[at.R_SAME_PILE]
            assert streak == (after[at.RUN + place] if same_pile else after[at.STREAK + top])
            if after[at.PHASE] != at.OVER:
                assert owes == after[at.OWED_STREAK] + after[at.OWED_SET]
            n_owed += owes > 0
            n_under += told.get("pattern") == "under-joker"
            table.state[:] = state
    assert n_owed > 50
    assert n_under > 5


def test_what_is_seen_is_what_lies_on_the_table() -> None:
    for table in tables():
        view, state = view_of(table), table.state
        seat = players.seat(view)
        assert seat == table.seat
        position = table.position()
        assert [players.in_game(view, s) for s in range(table.players)] == [
            int(s == seat or any(o["seat"] == s for o in position["others"])) for s in range(table.players)
        ]
        assert players.players(view) == table.players
        after = next(
            s % table.players for s in range(seat + 1, seat + 9) if state[at.IN_GAME] >> s % table.players & 1
        )
        assert players.next_seat(view) == after
        assert [players.hand_size(view, o["seat"]) for o in position["others"]] == [
            o["size"] for o in position["others"]
        ]
        assert sum(players.hand(view, card) for card in range(1, 15)) == len(position["hand"])
        assert sum(players.front(view, seat, card) for card in range(1, 15)) == len(position["front"])
        piles = position["field"]["piles"]
        assert players.piles(view) == len(piles)
        for pile, cards in enumerate(piles):
            assert players.height(view, pile) == len(cards)
            assert players.top(view, pile) == number_of(cards[-1])
            codes = [number_of(c) + 16 * c.startswith("X") for c in cards]
            assert [players.field_card(view, pile, i) for i in range(len(cards))] == codes
        owed = position["penalty"]
        if players.shape(view) != players.STAR:
            assert players.owed(view) == owed["streak_cards"] + owed["set_cards"]
        assert players.turns(view) == state[at.TURNS]
        hidden = state[at.STOCK_END] - state[at.STOCK_NEXT]
        assert players.stock(view) == hidden
        for other in range(table.players):
            if other != seat:
                hidden += players.hand_size(view, other) - sum(
                    players.front(view, other, card) for card in range(1, 15)
                )
        assert sum(players.unseen(view, card) for card in range(1, 15)) == hidden
        assert players.rule(view, at.R_JOKERS) == table.rules.jokers


def test_chance_draws_as_often_as_it_says() -> None:
    rng = np.array([3], dtype=np.uint64)
    drawn = sum(players.chance(rng, 0.3) for _ in range(4000))
    assert abs(drawn - 1200) < 4 * (4000 * 0.3 * 0.7) ** 0.5
    assert {players.below(rng, 3) for _ in range(50)} == {0, 1, 2}


def test_every_function_for_authors_is_described() -> None:
    for tool in players.TOOLS:
        assert tool.doc.endswith("."), tool
        assert tool.values, tool
        assert tool.clause.startswith("R"), tool
    assert len({tool.name for tool in players.TOOLS}) == len(players.TOOLS) > 40
