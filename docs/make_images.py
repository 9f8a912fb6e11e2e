"""Draw the pictures of the documentation: ``python docs/make_images.py``."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from agents.training.learning_curve import COLOURS, MARKERS
from kododo_env import load, registry
from kododo_env.core.agent import joint_action
from kododo_env.rendering.animation import animated_svg
from kododo_env.table.rules_page import sections

IMAGES = Path(__file__).parent / "images"
NOTEBOOKS = sorted((IMAGES.parents[1] / "notebooks").glob("*.ipynb"))


# By name of the picture: the policy in all seats, the first and the last step, and the title.
GAMES = {
    "kododo_game": ("kododo-4p", 0, 6, "two rounds of Kododo, turn by turn"),
    "combi_combo_game": ("combi_combo-4p", 4, 8, "the second half of a game of Combi-Combo"),
    "kado_game": ("kado-3p", 30, 38, "KADO, step by step"),
}


def played(policy: str, first: int, last: int, title: str) -> str:
    """Return some steps of a policy's self-play, from player_0's view, as an animated SVG."""
    agent = load(policy)
    game = registry.batch_game(agent.game, 1, seed=3, num_players=agent.num_players)
    agents = [agent] * agent.num_players
    rng = np.random.default_rng(3)
    pictures = [registry.picture_of(game).svg(player=0)]
    for _ in range(last):
        game.step(joint_action(agents, game, rng))
        pictures.append(registry.picture_of(game).svg(player=0))
    return animated_svg(pictures[first:], 1.5, title)


def examples(game: str) -> list[str]:
    """Return the worked examples of a game's rules, as SVG."""
    page = "".join(
        section["html"] for section in sections(registry.batch_game(game, 1), pictures=True)
    )
    return re.findall(r"<figure>(<svg .*?</svg>)", page, flags=re.S)


def draw_truth(path: Path) -> None:
    """Draw NashConv over training time, which benchmarks/exact_truth.py measured."""
    results = json.loads((IMAGES.parent / "exact.json").read_text())
    figure = Figure(figsize=(8, 4.8), layout="constrained")
    axes = figure.subplots()
    axes.set_prop_cycle(color=COLOURS, marker=[*MARKERS])
    solved = [(step["seconds"], step["nash_conv"]) for step in results["cfr"]]
    axes.plot(*zip(*solved, strict=True), label="CFR+", color="grey", marker="o", linewidth=2)
    for row in results["rows"]:
        curves = [seed["curve"] for seed in row["seeds"]]
        seconds = np.mean([[point["seconds"] for point in curve] for curve in curves], axis=0)
        gained = [[point["nash_conv"]["1.0"] for point in curve] for curve in curves]
        (line,) = axes.plot(seconds, np.mean(gained, axis=0), label=row["what"], markersize=4)
        ends = np.min(gained, axis=0), np.max(gained, axis=0)
        axes.fill_between(seconds, *ends, color=line.get_color(), alpha=0.15, linewidth=0)
    axes.axhline(results["uniform"], color="grey", linestyle="--", linewidth=1)
    axes.annotate(
        "uniform random", (0.995, results["uniform"]), ha="right", va="bottom",
        xycoords=("axes fraction", "data"), color="grey", fontsize=9,
    )  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="seconds of one core", ylabel="NashConv")
    axes.set_title("Kododo with nine cards: NashConv during training, average and range of seeds")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2)
    figure.savefig(path, dpi=120)


def of_notebook(path: Path) -> bytes:
    """Return the PNG of a tagged cell of a notebook."""
    try:
        import nbformat  # only needed for this picture
        from nbclient import NotebookClient
    except ImportError as error:
        raise ImportError("pictures of notebooks need nbclient: pip install --group dev") from error

    notebook = nbformat.read(path, as_version=4)
    os.environ.pop("MPLBACKEND", None)  # so that the notebook shows its pictures
    with TemporaryDirectory() as folder:
        NotebookClient(notebook, resources={"metadata": {"path": folder}}).execute()
    (picture,) = _drawn(notebook)
    return base64.b64decode(picture)


def _drawn(notebook: Any) -> Iterator[str]:
    for cell in notebook.cells:
        if "picture" in cell.metadata.get("tags", []):
            yield from (output.data["image/png"] for output in cell.outputs if "data" in output)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for name, settings in GAMES.items():
        (IMAGES / f"{name}.svg").write_text(played(*settings))
    for game in registry.ENVIRONMENT_MODULES:
        for number, drawn in enumerate(examples(game), 1):
            (IMAGES / f"{game}_example_{number}.svg").write_text(drawn)
    draw_truth(IMAGES / "exact.png")
    for notebook in NOTEBOOKS:
        (IMAGES / f"notebook_{notebook.stem[0]}.png").write_bytes(of_notebook(notebook))
