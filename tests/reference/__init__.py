"""The reference: the game in plain Python, slow and obvious, written from the rulebook alone.

It knows nothing of the engine it is compared with. Every function names the clauses it plays by.
"""

from tests.reference.legal import legal_actions
from tests.reference.players import choose, deal, play
from tests.reference.presets import complete
from tests.reference.table import Table

__all__ = ["Table", "choose", "complete", "deal", "legal_actions", "play"]
