"""Fuzzing with invalid input of all kinds: ``python -m tests.fuzz --help``.

A case is a function of its kind and its number: ``generate`` makes the input from them, in
plain JSON, and ``check`` gives that input to the project and says whether it was refused or
accepted. What is wrong is an error that was not promised, something accepted that turns out to
be nonsense, something changed though it was refused, and what takes too long or too much memory.
"""
