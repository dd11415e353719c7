"""Versions that results carry."""

__version__ = "0.1.0"

RULES_VERSION = 1
"""Raised whenever a rule's meaning changes, so that fingerprints of different rules never agree."""

ENGINE_VERSION = 1
"""Raised whenever the same seed would play another game: deals, draws of a policy, order of actions."""

METRICS_VERSION = 1
"""Raised whenever a metric of the same name counts something else: kept deals are not mixed."""
