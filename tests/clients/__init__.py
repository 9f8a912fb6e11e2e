"""The examples of docs/libraries.md with the libraries they are for: ``python -m tests.clients``.

Each library has an environment of its own there, with the newest version that installs. Those that
are in the project's own environment run in the ordinary tests as well.
"""
