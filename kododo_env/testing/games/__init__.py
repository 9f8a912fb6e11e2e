"""The promises of any batch game: masks, decks, copies, states, scores, bounds."""
