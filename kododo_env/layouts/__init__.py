"""Layouts of observations and actions, and what follows from them."""
