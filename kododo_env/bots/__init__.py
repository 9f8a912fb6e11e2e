"""Custom bots, by name, and the messages that a program exchanges with a table."""
