"""What the wheel has on the command line: ``kododo evaluate``, ``benchmark``, ...."""
