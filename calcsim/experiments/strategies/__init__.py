"""Studies of strategies: tournaments, metagames, restricted play, skill and luck, kept as files."""
