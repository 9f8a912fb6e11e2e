"""Decision-time search and exact solutions of small games."""
