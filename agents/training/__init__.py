"""Training runs: settings, the training loop, checkpoints and folders."""
