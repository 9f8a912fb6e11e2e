"""Helpers for the operating system: files, folders, locks, signals, streams and cores."""
