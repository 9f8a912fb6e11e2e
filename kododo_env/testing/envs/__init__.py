"""What any PettingZoo ParallelEnv owes."""
