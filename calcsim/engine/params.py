"""A rule set as the vector of integers that the kernels read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calcsim.engine import layout as at
from calcsim.rules import RuleSet

HANDOFFS = ("none", "push", "shield")
ENDS = ("first-out", "last-standing", "stock-out")
SCORINGS = ("win", "rank-points", "places")


def pack_rules(rules: RuleSet) -> NDArray[np.int64]:
    """Return `rules` as an int64 vector of `layout.SIZE_RULES`."""
    packed = np.zeros(at.SIZE_RULES, dtype=np.int64)
    packed[at.R_HAND_SIZE] = rules.hand_size
    packed[at.R_JOKERS] = rules.jokers
    packed[at.R_START_PILES] = rules.start_piles
    packed[at.R_GROWTH] = rules.growth
    packed[at.R_FINISH_MULTIPLY] = rules.finish_multiply
    packed[at.R_JOKER_SPECIAL] = rules.joker_special
    packed[at.R_JOKER_FINISH] = rules.joker_finish
    packed[at.R_STREAK_PENALTY] = rules.streak_penalty
    packed[at.R_SET_PENALTY] = rules.set_penalty
    packed[at.R_SAME_PILE] = rules.streak_scope == "same-pile"
    packed[at.R_ANY_LINE] = rules.ring_from == "any-line"
    packed[at.R_STAR_HALVING] = rules.star_halving
    packed[at.R_HANDOFF] = HANDOFFS.index(rules.handoff)
    packed[at.R_PUSH_MIN] = rules.push_min_hand
    packed[at.R_PUSH_FACE] = rules.push_face_limit
    packed[at.R_SHIELD_MIN] = rules.shield_min_hand
    packed[at.R_SHIELD_MAX] = rules.shield_max_target
    packed[at.R_KO] = rules.ko
    packed[at.R_END] = ENDS.index(rules.end)
    packed[at.R_SCORING] = SCORINGS.index(rules.scoring)
    packed[at.R_BONUSES] = rules.bonuses
    packed[at.R_TURN_LIMIT] = rules.turn_limit
    packed[at.R_PLACE_POINTS : at.R_PLACE_POINTS + 6] = rules.place_points
    return packed
