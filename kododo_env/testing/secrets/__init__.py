"""Checks that views and determinised batches do not reveal hidden cards."""
