"""The settings of a training run, and how they are read from and written to files."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from agents.options import RAY, Budget, Engine, check_engine
from agents.ppo.mean_policy import MeanPolicy
from agents.recipes.recipe import GAME, MIXED, Recipe, recipe_for
from kododo_env.agent_registry import make_agent, policy_path
from kododo_env.core.agent import Agent, check_agents
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.bounds import (
    Bound,
    Games,
    Minutes,
    Processes,
    Seed,
    Steps,
    check_settings,
    flag,
)
from kododo_env.core.numbers import shown
from kododo_env.policy.metadata import describe
from kododo_env.policy.plain_text import plain
from kododo_env.rules_arguments import default_players, hashable, make_game, parse_rules

DEFAULT_GAME = "kododo"
# The settings that say nothing without another one.
IMITATION = ("imitation_learning_rate", "imitation_temperature")
NEEDED = {
    "expert": ("imitation_steps", "imitation_share", *IMITATION),
    "opponents": ("opponents_share",),
    "opponents_share": ("opponents",),
    "magnet": ("magnet_updates",),
}
Table = tuple[BatchGame, list[Agent | None]]
"""Games, and the agent in each seat of them: None where the policy learns."""


@dataclass(frozen=True)
class TrainConfig:
    """Train a bot by self-play PPO; it ends with a policy file and a table of how it fares.

    The run's folder gets config.json, checkpoint.zip, TensorBoard logs and, at the end,
    policy.onnx, policy.meta.json, results.json and learning_curve.png. Ctrl-C ends the training
    early with all of them written; --resume goes on. The defaults below are those of the game,
    number of players and recipe, of the network of --init, or of the run, that are named beside
    --help.
    """

    game: str
    """Which game."""
    players: int
    """How many players."""
    settings: Recipe
    """The recipe's settings, which may be changed one by one."""
    recipe: str = GAME
    """The settings to begin with: "game" are the game's own, "scratch" learns from nothing."""
    rules: tuple[str, ...] = ()
    """Other rules, such as variant=long; the number of players is --players."""
    minutes: Minutes | None = None
    """How long to train; 5 if neither this nor --steps is given. A resumed run counts its
    earlier minutes, or steps, and has as many as before if neither is given."""
    steps: Steps | None = None
    """Agent-steps to train instead of minutes: on one machine the same seed then gives
    the same bot."""
    seed: Seed = 0
    """Seed of everything random."""
    run_dir: Path | None = None
    """The run's folder; a free one such as runs/kododo-4p if none is given."""
    resume: bool = False
    """Go on from the checkpoint in --run-dir. Game, rules, seed, the reward, the network, the
    expert and its share, Muon, the magnet, and how many games are played stay; other settings may
    be changed. A checkpoint starts no code: a reward, network or bot of your own is named again."""
    checkpoint_minutes: Minutes = 1.0
    """A checkpoint is written so often."""
    evaluations: Annotated[int, Bound(1, 10_000)] = 8
    """How often the bot is measured while it learns."""
    games: Games = 4000
    """Games against each baseline for the table at the end."""
    threads: Processes = 2
    """Threads of the processor for acting and learning; with --engine ray each process has one."""
    device: str = "cpu"
    """Where the network acts and learns: cpu, cuda, or auto for a GPU if there is one.
    The games stay on the processor."""
    bfloat16: bool | None = None
    """Multiply matrices in bfloat16 while learning; by default if the processor, or GPU, can."""
    engine: Engine = "local"
    """Where it trains: in this process, or on a Ray cluster."""
    address: str | None = None
    """Of a Ray cluster that runs, such as 10.0.0.1:6379; if not given one is made here."""
    workers: Processes | None = None
    """Processes of the Ray cluster that play, each some of --num-envs; if not given one for each
    core."""
    learners: Processes | None = None
    """Processes of the Ray cluster that learn, each from a part of a minibatch; 1 if not given."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        check_engine(self, "address", "workers", "learners")
        if self.engine == RAY and self.settings.code:
            options = " and ".join(map(flag, self.settings.code))
            raise ValueError(f"{options}: a cluster does not have your code, give --engine local")
        if self.engine == RAY and self.device != "cpu":
            raise ValueError("--device goes with --engine local only: a cluster uses no GPU")
        self.budget()  # raises if both are given
        if self.device != "cpu":
            from agents.ppo.machine import device_named  # imports torch

            device_named(self.device)  # raises if there is none
        if self.resume and self.run_dir is None:
            raise ValueError("--resume needs --run-dir, the folder of the run to go on with")

    @property
    def in_bfloat16(self) -> bool:
        """Whether matrices are multiplied in bfloat16: as is given, or if the device can."""
        from agents.ppo.machine import bfloat16_is_fast, device_named  # imports torch

        if self.bfloat16 is not None:
            return self.bfloat16
        return bfloat16_is_fast(device_named(self.device))

    def budget(self, spent: float = 0.0) -> Budget:
        """The time or steps it may take, of which this many seconds are spent already."""
        return Budget(self.minutes, self.steps, spent)


def default_config(
    game: str = DEFAULT_GAME, players: int | None = None, recipe: str = GAME, **fields: Any
) -> TrainConfig:
    """The default training for a game and a number of players.

    Args:
        game: The game's name.
        players: P; None: four, or the most that the game takes.
        recipe: Whose settings: "game" or "scratch".
        **fields: Other fields of ``TrainConfig``, or settings of the recipe. With ``init`` the
            settings of the network are those of its policy, and nobody is imitated.

    Raises:
        ValueError: There is no such game, field or setting, or it has an impossible value; or no
            policy ``init``, or it does not tell how its network is built.
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
class Which:
    """The arguments on which the defaults of a command line depend."""

    game: str | None = None
    players: int | None = None
    recipe: str | None = None
    run_dir: Path | None = None
    resume: bool = False
    minutes: float | None = None
    steps: int | None = None
    init: str = ""
    reward: str | None = None
    network: str | None = None
    expert: str | None = None
    opponents: tuple[str, ...] | None = None

    def named(self) -> dict[str, Any]:
        """The settings among these that may name a user's own code, as far as they are given."""
        names = "reward", "network", "expert", "opponents"
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


def defaults(arguments: Which) -> TrainConfig:
    """The defaults of a command line: a recipe's, or those of the run that it resumes.

    A recipe that is named for such a run is a change of all its settings. The run's own code, such
    as a reward, must be named by the arguments again: its files may come from others.

    Raises:
        ValueError: There is no such game, recipe, run or policy to begin with, or the run has code
            of its own that is not named.
    """
    game = arguments.game or DEFAULT_GAME
    recipe = arguments.recipe or GAME
    if not arguments.resume or arguments.run_dir is None:
        return default_config(game, arguments.players, recipe, init=arguments.init)
    from agents.training.run_folder import budget_of, read_run  # imports torch

    task = read_run(arguments.run_dir).task
    budget = {}
    check_named(task.recipe, arguments)
    if arguments.minutes is None and arguments.steps is None:
        budget = budget_of(arguments.run_dir)
    config = default_config(task.game, task.num_players, recipe, seed=task.seed, **budget)
    if arguments.recipe is None:  # the policy of its ``init`` may be gone
        config = replace(config, settings=replace(task.recipe, **arguments.named()))
    if arguments.game not in (None, task.game):
        config = replace(config, game=arguments.game, players=default_players(arguments.game))
    return config


def check_named(recipe: Recipe, arguments: Which) -> None:
    """Raise ValueError unless the arguments name all settings in which a run has code of its own.

    Only a name that the user gives is ever imported.
    """
    missing = {name: code for name, code in recipe.code.items() if name not in arguments.named()}
    if missing:
        names = ", ".join(shown(name) for code in missing.values() for name in code)
        options = " and ".join(map(flag, missing))
        raise ValueError(
            f"this run has code of its own, {names}, and a checkpoint starts none: give {options} "
            "again"
        )


@dataclass(frozen=True)
class Task:
    """The game and how it is learned: a checkpoint and the run that resumes it have this in common.

    Attributes:
        game: The game's name.
        rules: Parameters of its rules, ``num_players`` among them.
        recipe: The settings of PPO.
        seed: Seed of everything random.
    """

    game: str
    rules: dict[str, Any]
    recipe: Recipe
    seed: Seed

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def num_players(self) -> int:
        """P."""
        return int(self.rules["num_players"])

    @property
    def further_rules(self) -> dict[str, Any]:
        """The rules without the number of players."""
        return {name: value for name, value in self.rules.items() if name != "num_players"}

    def batch_game(self, num_envs: int, seed: int | None = None) -> BatchGame:
        """A batch of the game."""
        return make_game(self.game, num_envs, self.num_players, self.further_rules, seed)

    def expert(self) -> Agent | None:
        """The agent to imitate at first; ValueError if there is none of a name, or no mean."""
        experts = [make_agent(name, self.game, self.num_players) for name in self.recipe.experts]
        return MeanPolicy(experts) if len(experts) > 1 else next(iter(experts), None)

    def opponents(self) -> dict[str, Agent]:
        """Scripted opponents by name; ValueError if the game has no such scripted player."""
        names = self.recipe.opponents if self.recipe.opponents_share else ()
        return {name: make_agent(name, self.game, self.num_players) for name in names}

    def tables(self) -> dict[str | None, Table]:
        """The tables of self-play: under None against itself, and against each opponent by name.

        An opponent has all seats but one; see ``table_of``. Its table has P times the games, so
        that the same number of seats learn.

        Raises:
            ValueError: There is no such opponent, or it cannot play this game.
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
        """The table of an update of self-play; against an opponent each time from the next seat."""
        recipe = self.recipe
        game, agents = tables[recipe.opponent_of(update)]
        met = int(update * recipe.opponents_share + 1e-9) // max(1, len(recipe.opponents))
        start = self.num_players - met % self.num_players
        return game, agents[start:] + agents[:start]

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    @staticmethod
    def from_dict(content: dict[str, Any]) -> Task:
        """From JSON; ValueError if it is not such a task, or its game cannot be played."""
        try:
            recipe = Recipe(**content["recipe"])
            rules = {name: hashable(value) for name, value in content["rules"].items()}
            task = Task(content["game"], rules, recipe, content["seed"])
            task.batch_game(1, 0)  # raises if these rules cannot be played
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"not the description of a training run ({plain(error)})") from error
        return task


def task_of(config: TrainConfig) -> Task:
    """The task of a fresh run.

    Raises:
        ValueError: There is no such game, or it cannot be played so.
    """
    rules = {"num_players": config.players, **parse_rules(config.rules)}
    task = Task(config.game, rules, config.settings, config.seed)
    game = task.batch_game(1, 0)  # raises if these rules cannot be played
    try:
        describe(game).to_json()
    except ValueError as error:
        raise ValueError(f"no policy file can be for this {task.game}: {error}") from error
    if task.recipe.init:
        check_init(config, game)
    usual = recipe_for(config.game, config.players, config.recipe)
    check_needs(config.settings, usual)
    check_network(config.settings, usual)
    if imitates_only(task.recipe, config.steps) and task.recipe.opponents != usual.opponents:
        raise ValueError(
            "--opponents: a training of at most --imitation-steps has no self-play to meet them; "
            "raise --steps"
        )
    if task.recipe.tied and not game.layout.alike and not task.recipe.network:
        raise ValueError(f"--tied: {task.game} does not declare what is alike; leave it out")
    check_agents(game, [task.expert(), *task.opponents().values()])
    return task


def imitates_only(recipe: Recipe, steps: int | None) -> bool:
    """Whether a training of this many agent-steps ends before its self-play begins."""
    if not recipe.imitates:
        return False
    return recipe.imitation_share == 1 or (steps is not None and steps <= recipe.imitation_steps)


def check_init(config: TrainConfig, game: BatchGame) -> None:
    """Check that a run can begin with its policy, and that nobody is to be imitated before.

    Raises:
        ValueError: There is no such policy, it is of another game, does not tell its network's
            settings, or has others than were asked for; or there is a setting of imitation.
    """
    from agents.export.policy_weights import network_arguments  # imports torch
    from kododo_env.policy.onnx_agent import OnnxAgent

    recipe = config.settings
    path = policy_path(config.settings.init)
    usual = replace(recipe_for(config.game, config.players, config.recipe), expert="")
    OnnxAgent(path).check(game)
    for name, value in network_arguments(path).items():
        if getattr(recipe, name) != value:
            raise ValueError(
                f"{flag(name)}: the network of {recipe.init} has {value}, not "
                f"{getattr(recipe, name)}; leave it out"
            )
    for name in ("expert", *NEEDED["expert"]):
        if getattr(recipe, name) != getattr(usual, name):
            raise ValueError(f"{flag(name)}: nobody is imitated with --init; leave one of them out")


def check_network(recipe: Recipe, usual: Recipe) -> None:
    """Raise ValueError if settings are not as usual that a network of one's own does not take."""
    if not recipe.network:
        return
    from agents.ppo.own_network import arguments_taken, network_class  # imports torch
    from kododo_env.networks.network import SETTINGS

    if recipe.init:
        raise ValueError("--network: --init has a network of its own; leave one of them out")
    arguments = arguments_taken(network_class(recipe.network))
    for name in SETTINGS:
        if name not in arguments and getattr(recipe, name) != getattr(usual, name):
            raise ValueError(
                f"{flag(name)}: {shown(recipe.network)} takes no argument {name}; leave it out"
            )


def check_needs(recipe: Recipe, usual: Recipe) -> None:
    """Raise ValueError if a setting is not as usual that says nothing without another one."""
    for needed, settings in NEEDED.items():
        for name in settings:
            if not getattr(recipe, needed) and getattr(recipe, name) != getattr(usual, name):
                raise ValueError(
                    f"{flag(name)} counts only with {flag(needed)}; give both or leave it out"
                )
    if recipe.expert and not (recipe.imitation_steps or recipe.imitation_share):
        for name in IMITATION:
            if getattr(recipe, name) != getattr(usual, name):
                raise ValueError(
                    f"{flag(name)} counts only with --imitation-steps or --imitation-share; leave "
                    "it out"
                )
    if recipe.reward != MIXED and recipe.margin_weight != usual.margin_weight:
        raise ValueError(f"--margin-weight counts only with --reward {MIXED}: leave it out")
