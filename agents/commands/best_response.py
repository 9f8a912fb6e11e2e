"""Exploitability: how much can be gained against a policy by who knows it.

Two attackers have one seat each among P - 1 copies of the policy: a best response that
learned against it, and search that has it as its model of everybody. What they gain over an
equal, 1/P, are lower bounds of what can be gained (V. Lisý and M. Bowling, "Equilibrium
approximation quality of current no-limit poker bots", 2017; F. Timbers et al., "Approximate
exploitability: learning a best response", 2022).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from os.path import realpath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agents.commands.evaluate import BestResponseConfig
from agents.export.onnx_export import export_policy
from agents.export.policy_weights import changed_rules, game_of
from agents.recipes.recipe import Recipe
from agents.training.response_training import BestResponse, train_best_response
from kododo_env.agent_registry import SEARCH, load, make_agent, scripted
from kododo_env.arena.intervals import Estimate
from kododo_env.arena.match import Match
from kododo_env.arena.tables import table
from kododo_env.core.bounds import BOUNDS
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.registry import DOORS

CHUNKS = 8  # at least, of a match: for several processes


@dataclass(frozen=True)
class Attack:
    """What one attacker gains, alone against P - 1 copies of a policy.

    Attributes:
        share: Its share of the victory.
        gain: By how much that is more than an equal's share, 1/P.
        games: In how many games this was seen.
        given: What the attacker was given, by name.
    """

    share: Estimate
    gain: Estimate
    games: int
    given: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """As a dictionary for JSON: share, gain, games, and what was given."""
        estimates = {"share": self.share.to_json(), "gain": self.gain.to_json()}
        return {**estimates, "games": self.games, **self.given}


@dataclass(frozen=True)
class Exploitability:
    """What is gained against a policy.

    Attributes:
        named: How the policy was named.
        policy: The policy.
        seed: Of everything random.
        best_response: What the best response gains; it was given ``minutes`` (None if
            steps), ``steps`` of its own and a ``temperature``.
        search: What search gains; it was given a ``budget`` for each decision.
    """

    named: str
    policy: OnnxAgent
    seed: int
    best_response: Attack
    search: Attack

    def to_json(self) -> dict[str, Any]:
        """As a dictionary for JSON."""
        return {
            "policy": self.named,
            "game": self.policy.game,
            "players": self.policy.num_players,
            "rules": changed_rules(self.policy.metadata),
            "temperature": self.policy.temperature,
            "seed": self.seed,
            "parity": 1 / self.policy.num_players,
            "best_response": self.best_response.to_json(),
            "search": self.search.to_json(),
        }

    def to_text(self) -> str:
        """As an aligned table below a line that says what was played."""
        policy, players = self.policy, self.policy.num_players
        changed = changed_rules(policy.metadata).items()
        rules = "".join(f", {name}={value}" for name, value in changed)
        copies = "a copy" if players == 2 else f"{players - 1} copies"
        heading = (
            f"{policy.game}, {players} players{rules}: one attacker against {copies} of "
            f"{self.named}, seed {self.seed}; parity {1 / players:.3f}"
        )
        learned, budget = self.best_response.given, self.search.given["budget"]
        minutes = "" if learned["minutes"] is None else f"{learned['minutes']:g} minutes, "
        each = f"{budget.removesuffix('ms')} ms" if budget.endswith("ms") else f"{budget} worlds"
        rows = [
            ("attacker", "games", "win share", "95 %", "gain", "95 %"),
            _row(f"best response ({minutes}{learned['steps']:,} steps)", self.best_response),
            _row(f"search ({each} a decision)", self.search),
        ]
        return f"{heading}\n\n{table(rows)}"


def _row(title: str, attack: Attack) -> tuple[str, ...]:
    return title, f"{attack.games:,}", *attack.share.texts(".3f"), *attack.gain.texts("+.3f")


def exploitability(
    config: BestResponseConfig,
    games: int = 8_000,
    seed: int = 0,
    workers: int = 1,
    recipe: Recipe | None = None,
) -> Exploitability:
    """Train a best response to a policy, search with it as the model, and measure both.

    Args:
        config: The policy, and what the two attackers are given.
        games: Of the best response against the policy, rounded up to whole deals.
        seed: Of everything random; what is measured is on other deals than those learned from.
        workers: Processes for playing; the result does not depend on it.
        recipe: Settings of PPO; None takes ``response_recipe``.

    Raises:
        ValueError: There is no such policy, or a budget is none; nothing was trained.
    """
    for name, value in {"games": games, "seed": seed, "workers": workers}.items():
        BOUNDS[name].checked(value, name)
    policy, save = policy_named(str(config.best_response)), config.save
    if save is not None and realpath(save) == realpath(policy.path):
        raise ValueError(f"{save} is the policy itself: keep the best response elsewhere")
    searcher = f"{SEARCH}{policy.path}:{config.search}"
    make_agent(searcher, policy.game)  # raises unless the budget is one
    of_search = _match(searcher, policy, config.search_games, seed)
    with TemporaryDirectory() as folder:
        path = save or Path(folder) / "best-response.onnx"
        of_response = _match(str(path), policy, games, seed)
        response = train_best_response(
            policy,
            minutes=config.minutes,
            steps=config.steps,
            seed=seed,
            threads=config.threads,
            recipe=recipe,
        )
        _export(response, policy, path)
        best_response = _attack(of_response, workers, "best response", response.given)
    search = _attack(of_search, workers, "search", {"budget": config.search})
    return Exploitability(str(config.best_response), policy, seed, best_response, search)


def policy_named(policy: str | Path) -> OnnxAgent:
    """The policy of a file, or one that ships, by its name.

    Raises:
        ValueError: There is none, it is a player without weights, or it is for another
            version of its game.
    """
    name = str(policy)
    if name.startswith(SEARCH) or any(name in scripted(game) for game in DOORS):
        what = "a search" if name.startswith(SEARCH) else "a scripted player"
        raise ValueError(
            f"{name} is {what} and has no weights to start from: give a policy file or the name "
            "of a policy that ships"
        )
    found = load(policy)
    assert isinstance(found, OnnxAgent)
    found.check(game_of(found.metadata))
    return found


def _match(attacker: str, policy: OnnxAgent, games: int, seed: int) -> Match:
    """The attacker against copies of the policy, in chunks for several processes."""
    rules, players = changed_rules(policy.metadata), policy.num_players
    copies = str(policy.path)
    return Match(attacker, copies, policy.game, players, games, seed, rules, CHUNKS)


def _export(response: BestResponse, policy: OnnxAgent, path: Path) -> None:
    facts = {
        "algorithm": "PPO best response",
        "against": policy.name,
        "recipe": asdict(response.recipe),
        "seed": response.seed,
        **response.given,
    }
    network, temperature = response.agent.network, response.agent.temperature
    game = game_of(policy.metadata)
    export_policy(network, game, path, temperature=temperature, training=facts)


def _attack(match: Match, workers: int, title: str, given: dict[str, Any]) -> Attack:
    """Play the match; what is gained on an equal's share."""
    won, parity = match.play(workers, title).share, 1 / match.players
    gain = Estimate(won.mean - parity, won.low - parity, won.high - parity)
    return Attack(won, gain, -(-match.games // match.players) * match.players, given)
