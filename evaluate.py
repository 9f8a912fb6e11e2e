"""Let agents play each other and print the results: python evaluate.py --help."""

from __future__ import annotations

from agents.commands.script import run_script

if __name__ == "__main__":
    run_script("agents.commands.evaluate:EvaluateConfig", "agents.commands.evaluate:evaluate")
