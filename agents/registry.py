"""Agents by name: what each game's scripted players are called, and policies from files."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from kododo_env import registry
from kododo_env.core.agent import Agent, RandomAgent

# Each module has BASELINES: what makes an agent by its name, the weakest first; and may have
# YARDSTICKS, of which the same is true, but that they are no baselines.
SCRIPTED = {
    "kododo": "agents.kododo",
    "combi_combo": "agents.combi_combo",
    "kado": "agents.kado",
}
# Where a wheel puts the policies, as pyproject.toml says under data-files.
_SHARE = Path("share", "kododo-env", "policies")
SUFFIX = ".onnx"
SEARCH = "search:"


def policies_folder(root: Path) -> Path:
    """The folder of the policies that ship.

    Args:
        root: The folder in which this package lies: a checkout, or where it was installed,
            from which the data are at some height above, by ``--user`` or ``--prefix`` other
            ones than the interpreter's own, and by ``--target`` right beside the package.
    """
    if (root / "pyproject.toml").is_file():
        return root / "policies"
    places = [folder / _SHARE for folder in (root, *root.parents)]
    return next((place for place in places if place.is_dir()), places[0])


POLICIES = policies_folder(Path(__file__).resolve().parents[1])


def scripted(game: str) -> dict[str, Callable[[], Agent]]:
    """What makes a game's scripted agents, by name: the baselines first.

    Raises:
        ValueError: There is no such game.
    """
    module = _scripted_module(game)
    return {"random": RandomAgent, **module.BASELINES, **getattr(module, "YARDSTICKS", {})}


def baselines(game: str) -> tuple[str, ...]:
    """The names of those that everybody is measured against, ``random`` first, then the weakest.

    Raises:
        ValueError: There is no such game.
    """
    return ("random", *_scripted_module(game).BASELINES)


def _scripted_module(game: str) -> Any:
    if game not in SCRIPTED:
        raise ValueError(f"unknown game {game!r}; choose one of {', '.join(SCRIPTED)}")
    return import_module(SCRIPTED[game])


def policy_name(game: str, players: int) -> str:
    """What the policy that ships for a game and a number of players is called."""
    return f"{game}-{players}p"


def policy_tables() -> dict[str, tuple[str, int]]:
    """The games and numbers of players for which a policy is to ship, by the policy's name."""
    return {
        policy_name(game, players): (game, players)
        for game in SCRIPTED
        for players in registry.door(game).PLAYERS
    }


def shipped() -> tuple[str, ...]:
    """The names of the policies that come with the project, such as ``kododo-4p``."""
    return tuple(sorted(path.stem for path in POLICIES.glob(f"*{SUFFIX}")))


def policy_path(policy: str) -> Path:
    """The file of a policy that comes with the project; of anything else its own path."""
    return POLICIES / f"{policy}{SUFFIX}" if policy in shipped() else Path(policy)


def load(policy: str | Path) -> Agent:
    """A learned agent: a policy that comes with the project by its name, or any policy file.

    Raises:
        ValueError: There is no such policy, or the file is not one.
    """
    from agents.onnx_agent import OnnxAgent

    path = policy_path(str(policy))
    if path.suffix == SUFFIX:
        return OnnxAgent(path)
    known = ", ".join(shipped()) or "none"
    raise ValueError(
        f"unknown policy {str(policy)!r}; give a {SUFFIX} file or one that is shipped: {known}"
    )


def make_agent(name: str, game: str) -> Agent:
    """An agent by name, or from a policy file.

    Args:
        name: A scripted agent of the game, a shipped policy, the path of a policy file, or
            a search such as ``search:heuristic:50ms`` or ``search:kododo-4p:64`` (worlds)
            over one of these.
        game: The game's name.

    Raises:
        ValueError: There is no such agent or file.
    """
    makers = scripted(game)
    if name.startswith(SEARCH):
        return _search(name, game)
    if name in makers:
        return makers[name]()
    if policy_path(name).suffix == SUFFIX:
        return load(name)
    tables = policy_tables()
    policies = [policy for policy in shipped() if policy in tables and tables[policy][0] == game]
    raise ValueError(
        f"unknown agent {name!r}; {game} has {', '.join((*makers, *policies))}, "
        f"or give a policy file ({SUFFIX})"
    )


def _search(name: str, game: str) -> Agent:
    """A search over an agent, from ``search:AGENT:WORLDS`` or ``search:AGENT:MILLISECONDSms``."""
    from agents.search import SearchAgent, SearchBudget

    policy, _, amount = name.removeprefix(SEARCH).rpartition(":")
    number = amount.removesuffix("ms")
    if not policy or not number.isdigit():
        raise ValueError(
            f"a search is search:AGENT:WORLDS or search:AGENT:MILLISECONDSms, not {name!r}"
        )
    if amount.endswith("ms"):
        budget = SearchBudget(milliseconds=float(number))
    else:
        budget = SearchBudget(worlds=int(number))
    return SearchAgent(make_agent(policy, game), budget, name)
