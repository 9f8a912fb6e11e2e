"""Training runs: their settings, the loop, checkpoints, folders."""
