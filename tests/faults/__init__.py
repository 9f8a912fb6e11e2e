"""Fault injection: ``python -m tests.faults --help``.

Scripts are killed at any moment, run out of disk space, or lose their folder. Each time they must
print one line and leave no processes, and after resuming their results must equal those of an
undisturbed run, bit for bit.
"""
