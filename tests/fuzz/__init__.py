"""Fuzzing with invalid input of all kinds: ``python -m tests.fuzz --help``.

A case is determined by its kind and its number: ``generate`` makes its input, in plain JSON, and
``check`` gives the input to the project and returns whether it was rejected or accepted. Faults are
errors that are not documented, accepted input that is invalid, rejected input that changed
something, and cases that take too much time or memory.
"""
