"""From a network to a policy file, and back to its weights."""
