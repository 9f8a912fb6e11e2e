"""PPO for self-play on a batch of simultaneous games."""
