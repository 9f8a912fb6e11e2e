"""Bots that others wrote, by name; and the messages that a program and a table speak."""
