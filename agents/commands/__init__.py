"""The commands of a checkout: train, evaluate, measure exploitability, export."""
