"""Look at games and positions: analyses, hints, puzzles and replays of records."""
