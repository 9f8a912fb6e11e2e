"""Command lines of all scripts, mostly with one error; no slow work is run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields, is_dataclass
from math import isfinite
from pathlib import Path
from random import Random
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from agents.commands import best_response
from agents.commands.evaluate import EvaluateConfig, evaluate
from agents.commands.train import train
from agents.release import make_policies as policy_maker
from agents.release.config import PoliciesConfig
from agents.release.make_policies import make_policies
from agents.training.trainer import Trainer
from agents.training.training_config import TrainConfig
from kododo_env import registry
from kododo_env.arena.workers import run as play
from kododo_env.commands import tournament as evaluation
from kododo_env.policy.policy_file import sealed
from tests.fuzz import checkpoints, graphs
from tests.fuzz.odd_values import text_of
from tests.fuzz.promises import ACCEPTED, FaultFound
from tests.fuzz.scripts import Done, check_end, contents, replaced, run, starts
from tests.game_tables import GAMES

FEW_GAMES = 60  # maximum number of games that are played


@dataclass(frozen=True)
class Script:
    """A script.

    Attributes:
        config: The dataclass of its arguments.
        main: Its main function.
        usual: Valid arguments.
    """

    config: type[Any]
    main: Callable[[Any], None]
    usual: tuple[tuple[str, ...], ...]


SCRIPTS = {
    "train": Script(
        TrainConfig, train, ((), ("--run-dir", "new"), ("--run-dir", "run", "--resume"))
    ),
    "evaluate": Script(
        EvaluateConfig,
        evaluate,
        (
            ("--agents", "random", "greedy"),
            ("--agents", "random", "heuristic", "--games", "8", "--workers", "1"),
            ("--agents", "random", "good.onnx", "--players", "2", "--games", "8", "--workers", "1"),
            ("--agents", "random", "greedy", "--games", "8", "--workers", "1", "--json", "o.json"),
            ("--best-response", "good.onnx", "--search", "4"),
        ),
    ),
    "make_policies": Script(
        PoliciesConfig, make_policies, (("--only", "kododo-2p", "--out", "o", "--runs", "r"),)
    ),
}

WHOLE = (
    "0", "1", "2", "3", "4", "5", "6", "8", "16", "40", "100", "4096", "1000000", "1000000000",
    "1000000000000", "='9' * 30", "='9' * 5000", "-1", "-8", "1.0", "1e3", "1.5", "0x10", "1_000",
    "nan", "inf", "", "many", "True", "None", "٣", " 4", "+4", "--4", "[1]", "2**3", "2147483648",
)  # fmt: skip
FLOATS = (
    "0", "0.1", "0.5", "1", "1.0", "2", "10", "-1", "-0.0", "inf", "-inf", "Infinity", "nan",
    "1e-9", "1e-300", "5e-324", "1e9", "1e30", "1e308", "1e400", "", "many", "0,5", "1e", "True",
    "½", "='9' * 400", "1_0", "None",
)  # fmt: skip
WORDS = (
    "", " ", "x", "nobody", "-", "--", "-x", "='x' * 300", "='x' * 100_000", "\x1b[31m", "a\nb",
    "\udcff", "ü", "None", "%s", "{0}", "$HOME", "='[' * 50_000", "../x", "random", "kododo",
)  # fmt: skip
PATHS = (
    "out.json", "out.png", "out.svg", "out.pdf", "out.onnx", "old.json", "folder", "folder.json",
    "file.txt/x.json", "no/such/out.json", "no/such", "new", "run", "killed", ".", "..", "", "~/x",
    "fifo.json", "fifo.onnx", "loop", "loop.json", "/dev/null", "/dev/full", "/dev/null/x.json",
    "/proc/x/y.json", "/proc/self/x.json", "file.txt", "file.txt/x", "good.onnx", "broken.onnx",
    "='x' * 240 + '.json'", "='x' * 247 + '.json'", "='x' * 250", "='x' * 300", "='x/' * 3000",
    "a\nb.json", "\udcff.json", "OUT.JSON", "out.json/", ".json", "\x1b[31m.json",
)  # fmt: skip
AGENTS = (
    "random", "greedy", "heuristic", "follow", "kododo-2p", "kododo-4p", "good.onnx",
    "./good.onnx", "broken.onnx", "fifo.onnx", "folder.onnx", "nobody", "", "search:random:4",
    "search:random:", "search:random:0", "search:random:50ms", "search:random:0ms", "search::4",
    "search:nobody:4", "search:good.onnx:2", "='search:random:' + '9' * 30",
    "='search:random:' + '9' * 5000", "='search:random:' + '9' * 400 + 'ms'", "search:random:²",
    "search:random:٣", "search:random:-4", "search:search:random:2:2",
    "='search:' * 50 + 'random' + ':2' * 50", "='search:' * 20_000",
    "='search:' * 2000 + 'random' + ':2' * 2000", "search:random:1e3", "search:random:4 ",
)  # fmt: skip
RULES = (
    "variant=long", "variant=", "variant", "=1", "num_players=3", "num_players=2",
    "num_players=99", "='copies=' + '[' * 100_000", "copies=[1,2]", "copies=[6,6,6,6,6]",
    "copies=3", "copies=null", "target_score=1000000", "target_score=50",
    "='target_score=' + '9' * 5000", "target_score=1e3", "hand_size=true", "limit_offset=300",
    "kododo_offset=300", "twos_in_series=40000", "deck=[[[1]]]", "deck=[]", "nonsense=1", "a b=1",
    "copies={}", "num_colours=1", "num_colours=26", "perfect_points=9999", "plays=[2,1,1]",
    "plays=[1]", "removed_cards=-1", "removed_cards=8", "num_rows=0", "discards=1", "num_turns=9",
    "opening_hand=0", "variant=\"long\"", "variant=standard", "ones_points=\ud800",
    "target_score=NaN", "target_score=Infinity", "num_players=4.0", 'num_players="3"',
)  # fmt: skip
RULE_NAMES = sorted({
    rule.name for game in GAMES for rule in fields(registry.batch_game(game, 1).rules)
})  # fmt: skip
POOLS: dict[str, tuple[str, ...]] = {
    "agents": AGENTS,
    "best_response": (*AGENTS, *PATHS),
    "rules": RULES,
    "variant": ("long", "standard", "", "Long", "x", "='[' * 50_000", "null", "3", "='9' * 5000"),
    "game": (*GAMES, *GAMES, "chess", "", "KADO", "kododo_v0", "../kado", "='x' * 300"),
    "search": (*WHOLE, "50ms", "0ms", "ms", "4.5", "²"),
    "only": ("kododo-2p", "kado-3p", "kododo-9p", "", "='x' * 300", "../kododo-2p"),
    "expert": ("heuristic", "random", "", "nobody", "good.onnx", "search:random:2"),
    "opponents": AGENTS,
}


class Flag(NamedTuple):
    """A command-line option and the name of its type: ``int``, ``tuple[str, ...]``, ..."""

    name: str
    type: str


def flags(config: type[Any]) -> Iterator[Flag]:
    """Yield the options of a configuration, including its groups."""
    types = get_type_hints(config)  # without their bounds
    for config_field in fields(config):
        kind = types[config_field.name]
        if get_origin(kind) in (Union, UnionType):  # optional
            kind = get_args(kind)[0]
        if is_dataclass(kind):
            yield from flags(kind)  # type: ignore[arg-type]
        else:
            yield Flag(config_field.name, kind.__name__ if isinstance(kind, type) else str(kind))


def generate(rng: Random) -> dict[str, Any]:
    """Return a script and its arguments."""
    name = rng.choice((*["train", "evaluate"] * 4, "make_policies"))
    script = SCRIPTS[name]
    args = [*rng.choice(script.usual)]
    config_flags = list(flags(script.config))
    for field in rng.sample(config_flags, rng.choice((0, 1, 1, 1, 1, 2, 2, 3))):
        argument = _argument(rng, field)
        args = [*args, *argument] if rng.random() < 0.8 else [*argument, *args]
    if rng.random() < 0.05:
        args.insert(rng.randint(0, len(args)), rng.choice((*WORDS, "-h", "--help", "--no-resume")))
    return {"script": name, "args": args}


def _argument(rng: Random, field: Flag) -> list[str]:
    """Return an option with a plausible value."""
    flag = f"--{field.name.replace('_', '-')}"
    if field.type == "bool":
        return [rng.choice((flag, flag.replace("--", "--no-", 1)))]
    pool = POOLS.get(field.name)
    if pool is None:
        pool = {"int": WHOLE, "float": FLOATS, "Path": PATHS}.get(field.type.split()[0], WORDS)
    if field.name == "rules":
        pool = [*pool, *(f"{name}={rng.randint(-2, 40)}" for name in RULE_NAMES)]
        pool += [f"{name}={rng.randint(-300, 40_000)}" for name in RULE_NAMES]
    number = rng.choice((0, 1, 1, 2, 3, 5)) if "tuple" in field.type else 1
    values = [rng.choice(WORDS if rng.random() < 0.05 else pool) for _ in range(number)]
    return [flag, *values]


def prepare(base: Path) -> None:
    """Create a run that can be resumed, a run that was killed, and policies."""
    (base / "files").mkdir()
    checkpoints.prepare(base)
    shutil.move(base / "kododo", base / "files" / "run")
    shutil.copytree(base / "files" / "run", base / "files" / "killed")
    (base / "files" / "killed" / "checkpoint.zip").unlink()
    policy = sealed(graphs.model_of("kododo", 2, {"trick": "none"}).SerializeToString())
    (base / "files" / "good.onnx").write_bytes(policy)
    (base / "files" / "broken.onnx").write_bytes(policy[:-9])
    for name in ("folder", "folder.json", "folder.onnx"):
        (base / "files" / name).mkdir()
    for name in ("old.json", "file.txt"):
        (base / "files" / name).write_text("kept")


def _lay_out(base: Path) -> None:
    shutil.copytree(base / "files", ".", dirs_exist_ok=True)
    os.mkfifo("fifo.json")
    os.mkfifo("fifo.onnx")
    Path("loop").symlink_to("loop")
    Path("loop.json").symlink_to("loop.json")


def check(case: dict[str, Any], base: Path) -> str:
    """Check that a command is rejected in one line without files, or starts with valid settings."""
    _lay_out(base)
    before = contents()
    with ExitStack() as stack:
        stack.enter_context(replaced(Trainer, "run", starts))
        stack.enter_context(replaced(evaluation, "run", _played_if_few))
        stack.enter_context(replaced(best_response, "train_best_response", starts))
        stack.enter_context(replaced(policy_maker, "train_all", starts))
        done = _run(case)
    refused = check_end(done, before)
    if refused:
        return refused
    if isinstance(done.started, Trainer):
        _check_taken(done.started, case["args"])
    return ACCEPTED


def _run(case: dict[str, Any]) -> Done:
    script = SCRIPTS[case["script"]]
    return run(script.config, script.main, [text_of(argument) for argument in case["args"]])


def _played_if_few(tournament: Any, chunks: Any, workers: int) -> Any:
    """Replace the function that plays a tournament; only small ones are played."""
    slow = any(agent.startswith("search:") for agent in tournament.agents)
    if slow or workers > 1 or sum(chunk.deals for chunk in chunks) * tournament.players > FEW_GAMES:
        starts(tournament)
    return play(tournament, chunks, workers)


def _check_taken(trainer: Trainer, args: list[str]) -> None:
    """Raise FaultFound if a run starts with invalid settings, or ignores an argument."""
    settings = {**asdict(trainer.config), **asdict(trainer.task.recipe)}
    for name, setting in settings.items():
        if isinstance(setting, float) and not isfinite(setting):
            raise FaultFound("a number that is not finite is taken", f"{name} {setting}")
    requested = asdict(trainer.config.settings)
    requested |= {"seed": trainer.config.seed} if "--seed" in args else {}
    actual = {**asdict(trainer.task.recipe), "seed": trainer.task.seed}
    for name, setting in requested.items():
        if setting is not None and actual[name] != setting:
            raise FaultFound("an argument is ignored", f"{name} {actual[name]}, not {setting}")
