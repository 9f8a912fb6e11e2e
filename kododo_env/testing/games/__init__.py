"""What any batch game owes: masks, decks, copies, states, scores, bounds."""
