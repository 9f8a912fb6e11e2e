"""Fault injection: ``python -m tests.faults --help``.

Scripts are killed at any moment, have no room left, lose their folder; each time they must say
so in one line, leave nothing that goes on, and come in the end to what they would have come to
undisturbed, bit for bit.
"""
