"""Export a network as a policy file, and read its weights back."""
