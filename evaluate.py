"""Let agents play each other and say how they did: python evaluate.py --help."""

from __future__ import annotations

from agents.cli import run_cli
from agents.evaluation import EvaluateConfig, evaluate

if __name__ == "__main__":
    run_cli(EvaluateConfig, evaluate)
