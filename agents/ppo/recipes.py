"""How each game is learned best, as far as it was measured; see ``docs/training.md``."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from kododo_env.core.bounds import check_settings


@dataclass(frozen=True)
class Recipe:
    """The settings of self-play PPO.

    Attributes:
        num_envs: Games played at once; every seat of each learns.
        games_per_update: Whole games each of them plays between updates.
        batch_size: Decisions in a minibatch.
        epochs: Passes over the decisions of an update.
        learning_rate: When self-play begins; it falls linearly.
        final_learning_rate: At the end.
        muon: Muon's learning rate, for the trunk's matrices, is this times the learning rate
            of all else, which is Adam's; 0: everything is learned by Adam.
        entropy: Weight of the entropy bonus at the start; it falls linearly.
        final_entropy: At the end.
        clip_range: PPO's clipping.
        gamma: Discount for each decision.
        gae_lambda: Of generalised advantage estimation.
        value_weight: Weight of the value's loss.
        margin_weight: The reward is this times the margin of points as they are scored,
            plus the share of the victory minus 1/P at the end.
        width: Width of the hidden layers.
        depth: Number of hidden layers.
        one_hot: Largest number of the observation that is also given one-hot; 0: none.
        sort_opponents: Whether the network sees the opponents in order, by their points first,
            not as they sit.
        teacher: Which scripted player plays and is imitated at first; "": nobody.
        teacher_share: For which share of the training.
        teacher_learning_rate: While it is imitated, at the start; it falls linearly to a
            hundredth.
        teacher_temperature: How sharply it is imitated, in points: the lower, the more what it
            holds the best counts, 0 that alone; see ``agents.ppo.imitation``.
        opponents: Scripted players against whom it learns in some of the updates after the
            imitation, one kind at a time in all seats but one; in the others it plays itself.
            Who is named twice comes twice as often.
        opponents_share: The share of these updates.
        temperature: At which the trained policy plays: 0 the likeliest action.

    Raises:
        ValueError: A setting is none, or out of its bounds (``kododo_env.core.bounds``).
    """

    num_envs: int = 512
    games_per_update: int = 1
    batch_size: int = 4096
    epochs: int = 3
    learning_rate: float = 1e-4
    final_learning_rate: float = 1e-5
    muon: float = 30.0
    entropy: float = 0.02
    final_entropy: float = 0.005
    clip_range: float = 0.2
    gamma: float = 1.0
    gae_lambda: float = 0.7
    value_weight: float = 0.5
    margin_weight: float = 0.05
    width: int = 256
    depth: int = 3
    one_hot: int = 8
    sort_opponents: bool = False
    teacher: str = "heuristic"
    teacher_share: float = 0.17
    teacher_learning_rate: float = 2e-3
    teacher_temperature: float = 0.3
    opponents: tuple[str, ...] = ("heuristic", "heuristic", "follow")
    opponents_share: float = 0.5
    temperature: float = 0.25

    def __post_init__(self) -> None:
        object.__setattr__(self, "opponents", tuple(self.opponents))  # JSON has lists
        check_settings(self)
        if not isinstance(self.sort_opponents, bool):
            raise ValueError(f"sort_opponents must be true or false, not {self.sort_opponents!r}")
        if not all(isinstance(name, str) for name in (self.teacher, *self.opponents)):
            raise ValueError("teacher and opponents must be names of scripted players")

    @property
    def imitation_share(self) -> float:
        """The share of the training for which somebody is imitated; 0 without a teacher."""
        return self.teacher_share if self.teacher else 0.0

    def opponent_of(self, update: int) -> str | None:
        """Who is the opponent in an update after the imitation; None: the policy itself."""
        if not self.opponents:
            return None
        before, after = (math.floor(n * self.opponents_share + 1e-9) for n in (update, update + 1))
        return self.opponents[before % len(self.opponents)] if after > before else None


BASE = Recipe()
# KADO's games are long and few of their steps are decisions: smaller updates, more of them.
# Its heuristic is far ahead of what is learned from nothing, and self-play at BASE's rates
# unlearns it, so that most of the time it is imitated; it plays best without any doubt.
KADO = replace(
    BASE,
    num_envs=128,
    batch_size=1024,
    learning_rate=1e-5,
    final_learning_rate=1e-6,
    entropy=0.003,
    final_entropy=0.001,
    width=320,
    depth=2,
    one_hot=12,
    gae_lambda=0.9,
    teacher_share=0.9,
    teacher_temperature=0.6,
    opponents=(),
    temperature=0.0,
)
COMBI_COMBO = replace(BASE, width=192, gae_lambda=0.9, teacher_share=0.4, opponents=())
# With half of the updates against scripted players two players' bot was .01 to .02 weaker against
# the heuristic and against follow, but could be exploited less; with followers in half of these
# it was .03 better against the heuristic and .04 worse against follow; taught what the choices
# are worth it was no better.
KODODO_2 = replace(
    BASE,
    entropy=0.03,
    final_entropy=0.015,
    teacher_temperature=0.0,
    opponents=("heuristic", "follow", "follow"),
    opponents_share=0.65,
)
# With more players one pass over twice as many decisions costs the same time as three and is as
# good against the heuristics; it leaves less to one of them among bots. With four so does meeting
# scripted players less often.
KODODO_5 = replace(BASE, epochs=1, sort_opponents=True, teacher_share=0.1)
KODODO_4 = replace(KODODO_5, opponents_share=0.25)
RECIPES: dict[tuple[str, int], Recipe] = {
    ("kododo", 2): KODODO_2,
    ("kododo", 4): KODODO_4,
    ("kododo", 5): KODODO_5,
    **{("kado", players): KADO for players in (2, 3, 4)},
    **{("combi_combo", players): COMBI_COMBO for players in (4, 5)},
}


def recipe_for(game: str, num_players: int) -> Recipe:
    """The settings for a game and a number of players."""
    return RECIPES.get((game, num_players), BASE)


# Who is taught by nobody cannot begin at the low rates of who goes on from there. By Muon, and
# with one pass, it was not measured.
UNTAUGHT = {"learning_rate": 1e-3, "final_learning_rate": 1e-4, "muon": 0.0, "epochs": 3}


def with_overrides(recipe: Recipe, overrides: dict[str, Any]) -> Recipe:
    """The recipe with those settings changed that are not None.

    If nobody is to teach, or for no time, the learning rates and the passes are others too,
    unless they are given.

    Raises:
        ValueError: A setting has an impossible value.
    """
    given = {k: v for k, v in overrides.items() if v is not None}
    asked_for = replace(recipe, **given)
    if asked_for.imitation_share > 0:
        return asked_for
    return replace(recipe, **{**UNTAUGHT, **given})


# Agent-steps for which the policies that ship are trained; with steps, not minutes, the same
# seed gives the same policy.
SHIPPED_STEPS: dict[tuple[str, int], int] = {
    ("kododo", 2): 9_000_000,
    ("kododo", 3): 6_000_000,
    ("kododo", 4): 28_000_000,
    ("kododo", 5): 12_000_000,
    ("combi_combo", 4): 2_500_000,
    ("combi_combo", 5): 2_500_000,
    ("kado", 2): 3_000_000,
    ("kado", 3): 4_000_000,
    ("kado", 4): 4_000_000,
}
