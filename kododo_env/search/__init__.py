"""Search over what a player cannot see."""
