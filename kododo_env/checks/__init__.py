"""Checks of what callers pass: numbers, their bounds, and names of options."""
