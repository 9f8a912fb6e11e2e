"""``python -m kododo_env`` is the command ``kododo``."""

from __future__ import annotations

from kododo_env.commands.console import main

if __name__ == "__main__":
    main()
