"""Exploitability: how much can be gained against a policy by who knows it.

Two attackers have one seat each among P - 1 copies of the policy: a best response that
learned against it, and search that has it as its model of everybody. What they gain over
parity, 1/P, are lower bounds of what can be gained (V. Lisý and M. Bowling, "Equilibrium
approximation quality of current no-limit poker bots", 2017; F. Timbers et al., "Approximate
exploitability: learning a best response", 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from os.path import realpath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agents.commands.best_response_config import BestResponseConfig
from agents.export.onnx_export import export_policy
from agents.export.policy_weights import changed_rules, game_of
from agents.recipes.recipe import Recipe
from agents.training.response_training import BestResponse, train_best_response
from kododo_env.agent_registry import SEARCH, load
from kododo_env.arena.intervals import Estimate
from kododo_env.arena.match import Match
from kododo_env.arena.tables import table
from kododo_env.policy.onnx_agent import OnnxAgent

CHUNKS = 8  # at least, of a match: for several processes


@dataclass(frozen=True)
class Attack:
    """What one attacker gains, alone against P - 1 copies of a policy.

    Attributes:
        share: Its share of the victory.
        gain: By how much that is more than parity, 1/P.
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
        facts: How the policy was named, game, players, rules, temperature, seed and parity.
        best_response: What the best response gains; it was given ``minutes`` (None if
            steps), ``steps`` of its own and a ``temperature``.
        search: What search gains; it was given a ``budget`` for each decision.
    """

    facts: dict[str, Any]
    best_response: Attack
    search: Attack

    def to_json(self) -> dict[str, Any]:
        """As a dictionary for JSON."""
        attacks = {"best_response": self.best_response, "search": self.search}
        return self.facts | {name: attack.to_json() for name, attack in attacks.items()}

    def to_text(self) -> str:
        """As an aligned table below a line that says what was played."""
        facts, players = self.facts, self.facts["players"]
        rules = "".join(f", {name}={value}" for name, value in facts["rules"].items())
        copies = "a copy" if players == 2 else f"{players - 1} copies"
        heading = (
            f"{facts['game']}, {players} players{rules}: one attacker against {copies} of "
            f"{facts['policy']}, seed {facts['seed']}; parity {1 / players:.3f}"
        )
        learned, budget = self.best_response.given, self.search.given["budget"]
        minutes = "" if learned["minutes"] is None else f"{learned['minutes']:g} minutes, "
        each = f"{budget.removesuffix('ms')} ms" if budget.endswith("ms") else f"{budget} worlds"
        attacks = {
            f"best response ({minutes}{learned['steps']:,} steps)": self.best_response,
            f"search ({each} a decision)": self.search,
        }
        rows = [("attacker", "games", "win share", "95 %", "gain", "95 %")]
        for title, attack in attacks.items():
            estimates = *attack.share.texts(".3f"), *attack.gain.texts("+.3f")
            rows.append((title, f"{attack.games:,}", *estimates))
        return f"{heading}\n\n{table(rows)}"


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
    policy, save = _policy(str(config.best_response)), config.save
    if save is not None and realpath(save) == realpath(policy.path):
        raise ValueError(f"{save} is the policy itself: keep the best response elsewhere")
    rules, players = changed_rules(policy.metadata), policy.num_players

    def match(attacker: str, games: int) -> Match:
        """Against copies of the policy, in chunks for several processes."""
        copies = str(policy.path)
        return Match(attacker, copies, policy.game, players, games, seed, rules, CHUNKS)

    of_search = match(f"{SEARCH}{policy.path}:{config.search}", config.search_games)
    of_search.load_agents()  # raises unless the budget is one
    with TemporaryDirectory() as folder:
        path = save or Path(folder) / "best-response.onnx"
        of_response = match(str(path), games)
        response = train_best_response(
            policy,
            minutes=config.minutes,
            steps=config.steps,
            seed=seed,
            threads=config.threads,
            recipe=recipe,
        )
        _export(response, policy, path)
        given = {name: response.training[name] for name in ("minutes", "steps", "temperature")}
        best_response = _attack(of_response, workers, "best response", given)
    search = _attack(of_search, workers, "search", {"budget": config.search})
    facts = {"policy": str(config.best_response), **_facts(policy), "seed": seed}
    return Exploitability(facts, best_response, search)


def _facts(policy: OnnxAgent) -> dict[str, Any]:
    return {
        "game": policy.game,
        "players": policy.num_players,
        "rules": changed_rules(policy.metadata),
        "temperature": policy.temperature,
        "parity": 1 / policy.num_players,
    }


def _policy(named: str) -> OnnxAgent:
    """The policy of a file, or one that ships; ValueError if there is none that can be played."""
    policy = load(named)
    assert isinstance(policy, OnnxAgent)
    policy.check(game_of(policy.metadata))
    return policy


def _export(response: BestResponse, policy: OnnxAgent, path: Path) -> None:
    agent, game = response.agent, game_of(policy.metadata)
    facts = {"algorithm": "PPO best response", "against": policy.name, **response.training}
    export_policy(agent.network, game, path, temperature=agent.temperature, training=facts)


def _attack(match: Match, workers: int, title: str, given: dict[str, Any]) -> Attack:
    """Play the match; what is gained on parity."""
    won, parity = match.play(workers, title).share, 1 / match.players
    gain = Estimate(won.mean - parity, won.low - parity, won.high - parity)
    return Attack(won, gain, -(-match.games // match.players) * match.players, given)
