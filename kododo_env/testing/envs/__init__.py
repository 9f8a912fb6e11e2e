"""The promises of any PettingZoo ParallelEnv."""
