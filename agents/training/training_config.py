"""The settings of a training run, and their conversion to and from files."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from agents.options import RAY, Budget, Engine, Use, check_needs, uses_of
from agents.ppo.mean_policy import MeanPolicy
from agents.recipes.recipe import GAME, Recipe, recipe_for
from kododo_env.agent_registry import make_agent, policy_path
from kododo_env.checks.bounds import (
    Bound,
    Games,
    Minutes,
    Processes,
    Seed,
    Steps,
    check_settings,
    flag,
)
from kododo_env.checks.numbers import quote
from kododo_env.core.agent import Agent, check_agents
from kododo_env.core.batch_game import BatchGame
from kododo_env.policy.metadata import describe
from kododo_env.policy.plain_text import plain
from kododo_env.rules_arguments import default_players, hashable, make_game, parse_rules

DEFAULT_GAME = "kododo"
ON_RAY = Use(needs="engine", value=RAY)
Table = tuple[BatchGame, list[Agent | None]]
"""A batch of games, and the agent in each seat; None where the policy learns."""


@dataclass(frozen=True)
class TrainConfig:
    """Train a bot by self-play PPO, and write a policy file and a table of its results.

    The run's folder gets config.json, checkpoint.zip, TensorBoard logs and, at the end,
    policy.onnx, policy.meta.json, results.json and learning_curve.png. Ctrl-C ends the training
    early and still writes these files; --resume resumes it. The defaults below depend on the game,
    number of players, recipe, --init and --run-dir that are given together with --help.
    """

    game: str
    """The game."""
    players: int
    """Number of players."""
    settings: Recipe
    """The recipe's settings, which can be changed one by one."""
    recipe: str = GAME
    """The initial settings: "game" for the game's own, "scratch" to learn without an expert."""
    rules: tuple[str, ...] = ()
    """Changed rules, such as variant=long; the number of players is --players."""
    minutes: Minutes | None = None
    """Training time in minutes; 5 if neither this nor --steps is given. Earlier minutes or steps of
    a resumed run count, and it keeps its budget if neither is given."""
    steps: Steps | None = None
    """Agent-steps to train instead of minutes. The same seed then gives the same policy on the same
    machine."""
    seed: Seed = 0
    """Seed of everything random."""
    run_dir: Path | None = None
    """The run's folder; by default a free one such as runs/kododo-4p."""
    resume: bool = False
    """Resume from the checkpoint in --run-dir. Game, rules, seed, reward, network, the expert and
    its share, Muon, the magnet, and the number of games cannot be changed; other settings can. A
    checkpoint never runs code: name your own reward, network or bots again."""
    checkpoint_minutes: Minutes = 1.0
    """Minutes between checkpoints."""
    evaluations: Annotated[int, Bound(1, 10_000)] = 8
    """Number of measurements during the training."""
    games: Games = 4000
    """Games against each baseline for the final table."""
    threads: Processes = 2
    """CPU threads for acting and learning; with --engine ray each process has one."""
    device: Annotated[str, Use(needs="engine", value="local")] = "cpu"
    """Device of the network: cpu, cuda, or auto (a GPU if there is one). The games stay on the
    CPU."""
    bfloat16: bool | None = None
    """Multiply matrices in bfloat16 while learning; by default if the device supports it."""
    engine: Engine = "local"
    """Where to train: local (in this process) or ray (on a Ray cluster)."""
    address: Annotated[str | None, ON_RAY] = None
    """Address of a running Ray cluster, such as 10.0.0.1:6379; by default one is started on this
    machine."""
    workers: Annotated[Processes | None, ON_RAY] = None
    """Processes of the Ray cluster that play, each a part of --num-envs; by default one per
    core."""
    learners: Annotated[Processes | None, ON_RAY] = None
    """Processes of the Ray cluster that learn, each from a part of a minibatch; by default 1."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        check_needs(self, type(self))
        if self.engine == RAY and self.settings.code:
            options = " and ".join(map(flag, self.settings.code))
            raise ValueError(f"{options}: a cluster does not have your code; use --engine local")
        self.budget()  # raises ValueError if both are given
        if self.device != "cpu":
            from agents.ppo.machine import device_named  # imports torch

            device_named(self.device)  # raises ValueError if the device does not exist
        if self.resume and self.run_dir is None:
            raise ValueError("--resume needs --run-dir, the folder of the run to resume")

    @property
    def in_bfloat16(self) -> bool:
        """Whether matrices are multiplied in bfloat16; by default if the device supports it."""
        from agents.ppo.machine import bfloat16_is_fast, device_named  # imports torch

        if self.bfloat16 is not None:
            return self.bfloat16
        return bfloat16_is_fast(device_named(self.device))

    def budget(self, spent: float = 0.0) -> Budget:
        """Return the budget, of which ``spent`` seconds are spent already."""
        return Budget(self.minutes, self.steps, spent)


def default_config(
    game: str = DEFAULT_GAME, players: int | None = None, recipe: str = GAME, **fields: Any
) -> TrainConfig:
    """Return the default configuration for a game and a number of players.

    Args:
        game: The game's name.
        players: P; None: four, or the game's maximum if that is lower.
        recipe: The recipe: "game" or "scratch".
        **fields: Other fields of ``TrainConfig``, or settings of the recipe. With ``init``, the
            settings of the network are those of the initial policy, and imitation is skipped.

    Raises:
        ValueError: The game, a field or a setting is unknown or invalid, or the policy ``init``
            cannot be read or has no description of its network.
    """
    players = default_players(game) if players is None else players
    settings = recipe_for(game, players, recipe)
    changed = {name: fields.pop(name) for name in list(fields) if name in asdict(settings)}
    if changed.get("init"):
        from agents.export.policy_weights import network_arguments  # imports torch

        arguments = network_arguments(policy_path(changed["init"]))
        changed = {"expert": "", **arguments, **changed}
    return TrainConfig(game, players, replace(settings, **changed), recipe, **fields)


@dataclass(frozen=True)
class Task:
    """The game and the settings of its training, as a checkpoint stores them.

    Attributes:
        game: The game's name.
        rules: The parameters of its rules, including ``num_players``.
        recipe: The settings of PPO.
        seed: The seed of everything random.
    """

    game: str
    rules: dict[str, Any]
    recipe: Recipe
    seed: Seed

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def num_players(self) -> int:
        """The number of players, P."""
        return int(self.rules["num_players"])

    @property
    def further_rules(self) -> dict[str, Any]:
        """The rules without the number of players."""
        return {name: value for name, value in self.rules.items() if name != "num_players"}

    def batch_game(self, num_envs: int, seed: int | None = None) -> BatchGame:
        """Make a batch of ``num_envs`` games."""
        return make_game(self.game, num_envs, self.num_players, self.further_rules, seed)

    def expert(self) -> Agent | None:
        """Load the agent to imitate: the expert, or the mean of several policies; None without an
        expert.

        Raises:
            ValueError: An expert is unknown, or one of several has no action probabilities.
        """
        experts = [make_agent(name, self.game, self.num_players) for name in self.recipe.experts]
        return MeanPolicy(experts) if len(experts) > 1 else next(iter(experts), None)

    def opponents(self) -> dict[str, Agent]:
        """Return the opponents by name; raise ValueError if one is unknown."""
        names = self.recipe.opponents if self.recipe.opponents_share else ()
        return {name: make_agent(name, self.game, self.num_players) for name in names}

    def tables(self) -> dict[str | None, Table]:
        """Make the tables of training: the table of self-play under None, and others by opponent.

        An opponent has all seats but one; see ``table_of``. Its table has P times as many games, so
        that the same number of seats learn.

        Raises:
            ValueError: An opponent is unknown, or cannot play this game.
        """
        games = self.recipe.num_envs
        game = self.batch_game(self.recipe.num_envs, self.seed)
        tables: dict[str | None, Table] = {None: (game, [None] * self.num_players)}
        for name, agent in self.opponents().items():
            check_agents(game, [agent])
            larger_game = self.batch_game(games * self.num_players, self.seed)
            tables[name] = larger_game, [None] + [agent] * (self.num_players - 1)
        return tables

    def table_of(self, tables: dict[str | None, Table], update: int) -> Table:
        """Return the table of an update. Against an opponent the learner's seat rotates."""
        recipe = self.recipe
        game, agents = tables[recipe.opponent_of(update)]
        met = int(update * recipe.opponents_share + 1e-9) // max(1, len(recipe.opponents))
        start = self.num_players - met % self.num_players
        return game, agents[start:] + agents[:start]

    @staticmethod
    def from_dict(content: dict[str, Any]) -> Task:
        """Read the dictionary of ``asdict`` from JSON; raise ValueError if it is invalid."""
        try:
            recipe = Recipe(**content["recipe"])
            rules = {name: hashable(rule) for name, rule in content["rules"].items()}
            task = Task(content["game"], rules, recipe, content["seed"])
            task.batch_game(1, 0)  # raises if these rules cannot be played
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"invalid description of a training run: {plain(error)}") from error
        return task


def task_of(config: TrainConfig) -> Task:
    """Return the task of a new run.

    Raises:
        ValueError: The game is unknown, or the settings are invalid for it.
    """
    rules = {"num_players": config.players, **parse_rules(config.rules)}
    task = Task(config.game, rules, config.settings, config.seed)
    game = task.batch_game(1, 0)  # raises if these rules cannot be played
    try:
        describe(game).to_json()
    except ValueError as error:
        raise ValueError(f"policy files do not support this {task.game}: {error}") from error
    if task.recipe.init:
        check_init(config, game)
    usual = recipe_for(config.game, config.players, config.recipe)
    check_needs(config.settings, usual)
    check_network(config.settings, usual)
    if imitates_only(task.recipe, config.steps) and task.recipe.opponents != usual.opponents:
        raise ValueError(
            "--opponents: a training of at most --imitation-steps has no self-play; raise --steps"
        )
    if task.recipe.tied and not game.layout.tied_axes and not task.recipe.network:
        raise ValueError(f"--tied: {task.game} declares no interchangeable entries; leave it out")
    check_agents(game, [task.expert(), *task.opponents().values()])
    return task


def imitates_only(recipe: Recipe, steps: int | None) -> bool:
    """Return whether a training of ``steps`` agent-steps ends before self-play."""
    if not recipe.imitates:
        return False
    return recipe.imitation_share == 1 or (steps is not None and steps <= recipe.imitation_steps)


def check_init(config: TrainConfig, game: BatchGame) -> None:
    """Check that a run can start from the weights of its initial policy, without imitation.

    Raises:
        ValueError: The policy cannot be read, is for another game, has no description of its
            network or another network than requested; or a setting of imitation is given.
    """
    from agents.export.policy_weights import network_arguments  # imports torch
    from kododo_env.policy.onnx_agent import OnnxAgent

    recipe = config.settings
    path = policy_path(config.settings.init)
    usual = replace(recipe_for(config.game, config.players, config.recipe), expert="")
    OnnxAgent(path).check(game)
    for name, argument in network_arguments(path).items():
        if getattr(recipe, name) != argument:
            raise ValueError(
                f"{flag(name)}: the network of {recipe.init} has {argument}, got "
                f"{getattr(recipe, name)}; leave it out"
            )
    needing_expert = [name for name, use in uses_of(Recipe).items() if use.needs == "expert"]
    for name in ("expert", *needing_expert):
        if getattr(recipe, name) != getattr(usual, name):
            raise ValueError(f"{flag(name)} cannot be combined with --init, which skips imitation")


def check_network(recipe: Recipe, usual: Recipe) -> None:
    """Raise ValueError if a setting is changed that the user's own network does not take."""
    if not recipe.network:
        return
    from agents.ppo.custom_network import arguments_taken, network_class  # imports torch
    from kododo_env.networks.network import SETTINGS

    if recipe.init:
        raise ValueError("--network cannot be combined with --init, which has its own network")
    arguments = arguments_taken(network_class(recipe.network))
    for name in SETTINGS:
        if name not in arguments and getattr(recipe, name) != getattr(usual, name):
            raise ValueError(
                f"{flag(name)}: {quote(recipe.network)} takes no argument {name}; leave it out"
            )
