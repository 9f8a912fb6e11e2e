"""The networks, and how they see a position."""
