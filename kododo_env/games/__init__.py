"""The games, in one folder each; all folders have the same structure."""
