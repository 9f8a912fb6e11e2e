"""A table at which people and agents play: its state, its messages, and how its game is saved."""
