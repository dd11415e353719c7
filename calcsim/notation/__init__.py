"""How a game is written down: positions, traces, and games told to people."""
