"""How the policies that ship are made, measured and described."""

from __future__ import annotations
