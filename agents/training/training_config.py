"""What a training run is asked to do, and how that is read from and written to files."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

import torch
import tyro

from agents.file_argument import FilePath
from agents.ppo.recipes import Recipe, recipe_for, with_overrides
from kododo_env.agent_registry import make_agent
from kododo_env.core.agent import Agent
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.bounds import check_settings
from kododo_env.rules_arguments import default_players, hashable, make_game, parse_rules

DEFAULT_GAME = "kododo"
DEFAULT_MINUTES = 5.0


@dataclass(frozen=True)
class RecipeOverrides:
    """Settings of PPO to change; what is not given comes from the game's recipe, or from the
    resumed run.
    """

    num_envs: int | None = None
    """Games played at once."""
    games_per_update: int | None = None
    """Whole games between updates."""
    batch_size: int | None = None
    """Decisions in a minibatch."""
    epochs: int | None = None
    """Passes over the decisions of an update."""
    learning_rate: float | None = None
    """Learning rate when self-play begins."""
    final_learning_rate: float | None = None
    """Learning rate at the end."""
    muon: float | None = None
    """Muon's learning rate, for the trunk's matrices, as a multiple of Adam's; 0 = no Muon."""
    entropy: float | None = None
    """Weight of the entropy bonus at the start."""
    final_entropy: float | None = None
    """Weight of the entropy bonus at the end."""
    clip_range: float | None = None
    """PPO's clipping."""
    gamma: float | None = None
    """Discount for each decision."""
    gae_lambda: float | None = None
    """Of generalised advantage estimation."""
    margin_weight: float | None = None
    """Weight of the margin of points beside the victory."""
    width: int | None = None
    """Width of the hidden layers."""
    depth: int | None = None
    """Number of hidden layers."""
    one_hot: int | None = None
    """Largest number of the observation that is also given one-hot; 0 = none."""
    sort_opponents: bool | None = None
    """Whether the network sees the opponents in order of their points, not as they sit."""
    teacher: str | None = None
    """Scripted player that is imitated at first; "" = nobody, at higher learning rates then."""
    teacher_share: float | None = None
    """For which share of the training the teacher is imitated."""
    teacher_learning_rate: float | None = None
    """Learning rate at the start of the imitation; it falls to a hundredth."""
    teacher_temperature: float | None = None
    """How sharply the teacher is imitated, in points; 0 = only what it does counts."""
    opponents: tuple[str, ...] | None = None
    """Scripted players against whom it learns in some of the updates after the imitation."""
    opponents_share: float | None = None
    """The share of these updates; 0 = it plays itself only."""
    temperature: float | None = None
    """At which the trained policy plays; 0 = always the likeliest action."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)

    def given(self) -> dict[str, Any]:
        """The settings that are given, by name."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class TrainConfig:
    """Train a bot by self-play PPO; it ends with a policy file and a table of how it fares.

    The run's folder gets config.json, checkpoint.zip, TensorBoard logs and, at the end,
    policy.onnx, results.json and learning_curve.png. Ctrl-C ends the training early with
    all of them written; --resume goes on.
    """

    game: str | None = None
    """Which game (default: kododo, or the resumed run's)."""
    players: int | None = None
    """How many players (default: 4, or the resumed run's)."""
    rules: tuple[str, ...] = ()
    """Other rules, such as variant=long; the number of players is --players."""
    minutes: float | None = None
    """How long to train; 5 if neither this nor --steps is given. A resumed run counts its
    earlier minutes, or steps."""
    steps: int | None = None
    """Agent-steps to train instead of minutes: the same seed then gives the same bot."""
    seed: int | None = None
    """Seed of everything random (default: 0, or the resumed run's)."""
    run_dir: FilePath | None = None
    """The run's folder (default: runs/GAME-PLAYERSp, numbered if that is taken)."""
    resume: bool = False
    """Go on from the checkpoint in --run-dir. Game, rules, seed, the network, the teacher and
    its share, Muon, and how many games are played stay; other settings may be changed."""
    checkpoint_minutes: float = 1.0
    """A checkpoint is written so often."""
    evaluations: int = 12
    """How often the bot is measured while it learns."""
    games: int = 4000
    """Games against each baseline for the table at the end."""
    threads: int = 2
    """Threads of the processor for acting and learning."""
    bfloat16: bool = field(default_factory=lambda: torch.cpu._is_avx512_bf16_supported())
    """Multiply matrices in bfloat16 while learning (default: where the processor can)."""
    ppo: Annotated[RecipeOverrides, tyro.conf.arg(name="")] = field(default_factory=RecipeOverrides)
    """Settings of PPO."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        if self.minutes is not None and self.steps is not None:
            raise ValueError("give --minutes or --steps, not both")
        if self.resume and self.run_dir is None:
            raise ValueError("--resume needs --run-dir, the folder of the run to go on with")


@dataclass(frozen=True)
class Task:
    """What is learned and how: what a checkpoint must have in common with the run that resumes it.

    Attributes:
        game: The game's name.
        rules: Parameters of its rules, ``num_players`` among them.
        recipe: The settings of PPO.
        seed: Seed of everything random.
    """

    game: str
    rules: dict[str, Any]
    recipe: Recipe
    seed: int

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def num_players(self) -> int:
        """P."""
        return int(self.rules["num_players"])

    def batch_game(self, num_envs: int, seed: int | None = None) -> BatchGame:
        """A batch of the game."""
        rules = {name: value for name, value in self.rules.items() if name != "num_players"}
        return make_game(self.game, num_envs, self.num_players, rules, seed)

    def teacher(self) -> Agent | None:
        """Who is imitated at first; ValueError if the game has no such scripted player."""
        name = self.recipe.teacher
        return make_agent(name, self.game) if name else None

    def opponents(self) -> dict[str, Agent]:
        """Scripted opponents by name; ValueError if the game has no such scripted player."""
        names = self.recipe.opponents if self.recipe.opponents_share else ()
        return {name: make_agent(name, self.game) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    @staticmethod
    def from_dict(content: dict[str, Any]) -> Task:
        """From JSON; ValueError if it is not such a task."""
        try:
            recipe = Recipe(**content["recipe"])
            rules = {name: hashable(value) for name, value in content["rules"].items()}
            return Task(content["game"], rules, recipe, content["seed"])
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"not the description of a training run ({error})") from error


def task_of(config: TrainConfig) -> Task:
    """What a fresh run is to learn.

    Raises:
        ValueError: There is no such game, or it cannot be played so.
    """
    game = DEFAULT_GAME if config.game is None else config.game
    players = default_players(game) if config.players is None else config.players
    rules = {"num_players": players, **parse_rules(config.rules)}
    recipe = with_overrides(recipe_for(game, players), config.ppo.given())
    task = Task(game, rules, recipe, config.seed or 0)
    layout = task.batch_game(1, 0).layout  # raises if these rules cannot be played
    if recipe.sort_opponents and not layout.opponent_keys:
        raise ValueError(f"--sort-opponents: {game} does not declare by what; leave it out")
    task.teacher()  # or if nobody has that name
    task.opponents()
    return task
