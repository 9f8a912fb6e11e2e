"""Let agents play each other and print the results: python evaluate.py --help."""

from __future__ import annotations

from agents.commands.script import prepare_script

if __name__ == "__main__":
    prepare_script()
    from agents.commands.evaluate import EvaluateConfig, evaluate
    from kododo_env.commands.cli import run_cli

    run_cli(EvaluateConfig, evaluate)
