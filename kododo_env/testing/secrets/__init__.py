"""What players must not be told, and what determinised batches may hold."""
