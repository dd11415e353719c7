"""Questions about games, and the games that answer them."""
