"""The checks of a batch game: masks, decks, copies, states, scores, bounds."""
