"""The examples of docs/libraries.md with their libraries: ``python -m tests.clients``.

Each library has its own environment, with the newest version that can be installed. Examples whose
libraries are in the project's own environment also run in the ordinary tests.
"""
