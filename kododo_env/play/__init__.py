"""Playing with people: the table, and who brings its messages to them."""

from __future__ import annotations
