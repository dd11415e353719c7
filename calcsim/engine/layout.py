"""Where everything lies in the state of one running game.

The state is one int64 array: rules, scalars, hands, piles, stock, what is counted, and working memory, so
that a kernel takes one argument. A hand is a packed counter: four bits for each card 1..14 (14 the joker),
card `k` at bit ``4 * (k - 1)``.
"""

from __future__ import annotations

from typing import Final

from calcsim.engine.columns import N_GAME, N_SEAT

# Cards (R1): 1..13 and the joker; on the field a joker is its number plus JOKER_FLAG (R1.2).
JOKER: Final = 14
JOKER_FLAG: Final = 16
DECK: Final = 54
SEATS: Final = 6
PILES: Final = 56
DEPTH: Final = 56

# What the seat to move faces.
FREE: Final = 0
AFTER_DRAW: Final = 1
PENALTY: Final = 2
OVER: Final = 3

# The shape of the field (R5.2 to R5.4).
LINE: Final = 0
RING: Final = 1
STAR: Final = 2

# Patterns of plays in the order of R4.10, then growths by the shape afterwards: `columns.FINISHES`.
SAME: Final = 0
UNDER_JOKER: Final = 1
SUM: Final = 2
DIFFERENCE: Final = 3
PRODUCT: Final = 4
QUOTIENT: Final = 5
GROW_LINE: Final = 6

# Hand-offs (R7) and ends (R9.2, R9.3), as packed by `params`.
NONE: Final = 0
PUSH: Final = 1
SHIELD: Final = 2
FIRST_OUT: Final = 0
LAST_STANDING: Final = 1
STOCK_OUT: Final = 2
STALLED: Final = 3
TURN_LIMIT: Final = 4

WIN: Final = 0
RANK_POINTS: Final = 1
PLACES: Final = 2

# Packed rules, see `params`.
R_HAND_SIZE: Final = 0
R_JOKERS: Final = 1
R_START_PILES: Final = 2
R_GROWTH: Final = 3
R_FINISH_MULTIPLY: Final = 4
R_JOKER_SPECIAL: Final = 5
R_JOKER_FINISH: Final = 6
R_STREAK_PENALTY: Final = 7
R_SET_PENALTY: Final = 8
R_SAME_PILE: Final = 9
R_ANY_LINE: Final = 10
R_STAR_HALVING: Final = 11
R_HANDOFF: Final = 12
R_PUSH_MIN: Final = 13
R_PUSH_FACE: Final = 14
R_SHIELD_MIN: Final = 15
R_SHIELD_MAX: Final = 16
R_KO: Final = 17
R_END: Final = 18
R_SCORING: Final = 19
R_BONUSES: Final = 20
R_TURN_LIMIT: Final = 21
R_PLACE_POINTS: Final = 22
R_NOISE: Final = R_PLACE_POINTS + 6  # which choices of the players; no rule, but given like one
SIZE_RULES: Final = R_NOISE + 1

# Scalars of the state.
PLAYERS: Final = 29
SEAT: Final = 30
PHASE: Final = 31
TURNS: Final = 32
STALL: Final = 33  # passes in a row that drew and played nothing (R9.3)
ALIVE: Final = 34
IN_GAME: Final = 35  # a bit for each seat still in
N_OUT: Final = 36
STOCK_NEXT: Final = 37
STOCK_END: Final = 38
N_PILES: Final = 39
SHAPE: Final = 40
N_GAPS: Final = 41
OWED_STREAK: Final = 42  # pending penalty (R6): cards for the streak, for the set, its number, its pile
OWED_SET: Final = 43
OWED_NUMBER: Final = 44
OWED_PILE: Final = 45
DREW: Final = 46  # cards drawn by the pass of this turn
N_RECYCLES: Final = 47
END: Final = 48  # reason by `columns.ENDS`, -1 while running
TOPS: Final = 49  # a bit for each number on top of some pile
UNDERS: Final = 50  # a bit for each pile whose under-joker number differs from its top (R4.6)
LAST_END: Final = 51  # the piles at the ends of a line (R5.3)
TAPE_SIZE: Final = 52  # cards of the scripted recycle to come, 0 if it is shuffled
LOG_END: Final = 53  # where the log ends, 0 if nothing is logged
SEED: Final = 54
GAME: Final = 55
FIRST_END: Final = 56
ON_FIELD: Final = 57  # the cards of all piles, packed

# Arrays of the state, by seat ...
HAND: Final = 58
FRONT: Final = HAND + SEATS
SIZE: Final = FRONT + SEATS  # hand size (R3.4)
COURTS: Final = SIZE + SEATS  # court cards pushed (R7.2)
SHIELDED: Final = COURTS + SEATS  # 1 once the player has shielded
BANNED: Final = SHIELDED + SEATS  # a bit for each giver with a ko ban on this seat
KO: Final = BANNED + SEATS  # [seat, giver]: the card under ko (R7.7)
# ... by number 1..13 ...
KNOWN: Final = KO + SEATS * SEATS  # cards that all know to be in the private hand (R7.6), packed
STREAK: Final = KNOWN + SEATS  # sum of the top runs (R6.1)
N_TOPS: Final = STREAK + 16  # piles with that number on top
PILES_OF: Final = N_TOPS + 16  # the ids of these, added up
# ... by pile, and by gap.
TOP: Final = PILES_OF + 16  # number on top
RUN: Final = TOP + PILES  # top run (R6.1)
HEIGHT: Final = RUN + PILES  # cards
UNDER: Final = HEIGHT + PILES  # number U of R4.6, 0 if none
GAP: Final = UNDER + PILES  # first pile | second pile << 8, a line's in order
STOCK: Final = GAP + PILES  # from STOCK_NEXT to STOCK_END
RNG: Final = STOCK + 64  # [seat]: each player's stream, bits of an uint64
COUNTS: Final = RNG + SEATS  # what is kept of the game, see `columns`
CARDS: Final = COUNTS + N_GAME + SEATS * N_SEAT  # the cards of a play or a draw
TAPE: Final = CARDS + 64  # the scripted recycle, next card first
GROUPS: Final = TAPE + 64  # [seat]: of one who weighs, see `score.groups_weighed`
FIELD: Final = GROUPS + SEATS  # [pile, height]: field cards, bottom to top
PARTS: Final = FIELD + PILES * DEPTH  # working memory of `legality`: all sets, and those that matter
MAX_PARTS: Final = 512  # sets of natural cards that add up to at most 13: 299 with a whole deck
USEFUL: Final = PARTS + MAX_PARTS
CANDIDATES: Final = USEFUL + MAX_PARTS
# 8,566 with a whole deck in hand and every number on some pile; each further pile adds less than ten.
MAX_CANDIDATES: Final = 12_288
MEMO: Final = CANDIDATES + MAX_CANDIDATES  # [slot]: what `leftover` found out about hands
MEMO_SLOTS: Final = 4096
LOG: Final = MEMO + 3 * MEMO_SLOTS  # events, see `events`, to the end of the array
SIZE_STATE: Final = LOG
