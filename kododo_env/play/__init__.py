"""Hosts, which carry messages between a table and people: server, web worker and terminal."""
