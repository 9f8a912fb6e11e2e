"""How each game is learned best, as far as it was measured: for each game a module of its name."""
