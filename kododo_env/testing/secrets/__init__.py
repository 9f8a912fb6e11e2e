"""Checks of secrets: in all that players are told, and in determinised batches."""
