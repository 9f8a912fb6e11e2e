"""Play with people: a table, and hosts that carry messages between the table and people."""
