"""Playing with people: the table, and the hosts that bring its messages to them."""
