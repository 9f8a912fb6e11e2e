"""The checks of a PettingZoo ParallelEnv."""
