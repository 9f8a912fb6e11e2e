"""Exploitability: how much an attacker who knows a policy gains against it.

An attacker plays one seat against P - 1 copies of the policy. There are two kinds of attackers:
best responses, which are trained against the policy, and search, which uses the policy as its model
of all players. With more than two players there are also teams: P - 1 seats with shared weights
that are trained to make one copy of the policy lose.

The gain of an attacker is its win share minus parity, 1/P; the gain of a team is parity minus the
win share of the policy. All gains are lower bounds of what is possible (V. Lisý and M. Bowling,
"Equilibrium approximation quality of current no-limit poker bots", 2017; F. Timbers et al.,
"Approximate exploitability: learning a best response", 2022).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from agents.commands.best_response_config import BestResponseConfig
from agents.export.onnx_export import export_policy
from agents.export.policy_weights import changed_rules, game_of
from agents.recipes.recipe import Recipe
from agents.training.response_training import BestResponse, train_best_response
from kododo_env.agent_registry import SEARCH, SUFFIX, load
from kododo_env.arena.head_to_head import Match
from kododo_env.arena.intervals import Estimate
from kododo_env.checks.bounds import MOST_SEED
from kododo_env.policy.metadata_file import metadata_file, written_with_metadata
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.policy.policy_file import read_policy
from kododo_env.system.files import check_file, check_other
from kododo_env.system.text_table import table

CHUNKS = 8  # minimum number of chunks of a match, which processes share
TEAM = "team"  # a kind of attacker
MEANS = ("seed", "minutes", "steps", "temperature")  # facts about the training of a best response


@dataclass(frozen=True)
class Attack:
    """The measured gain of one attacker or team.

    Attributes:
        share: The win share of the attacker; for a team, the win share of the policy.
        gain: The share minus parity, 1/P; for a team, parity minus the share.
        games: The number of games.
        means: The budget and settings of the attacker, by name.
    """

    share: Estimate
    gain: Estimate
    games: int
    means: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return ``share``, ``gain``, ``games`` and the entries of ``means``, for JSON."""
        estimates = {"share": self.share.to_json(), "gain": self.gain.to_json()}
        return {**estimates, "games": self.games, **self.means}


@dataclass(frozen=True)
class Exploitability:
    """The measured exploitability of a policy.

    Attributes:
        facts: ``policy`` as it was named, ``game``, ``players``, ``rules``, ``temperature``,
            ``seed`` and ``parity``.
        responses: The best responses. Their ``means`` are ``seed``, ``minutes`` (None if the budget
            was in steps), ``steps`` and ``temperature``.
        search: The search. Its ``means`` contain the ``budget`` of a decision.
        teams: The teams, with the same ``means`` as best responses.
    """

    facts: dict[str, Any]
    responses: list[Attack]
    search: Attack
    teams: list[Attack]

    @property
    def best_response(self) -> Attack:
        """The mean of the best responses.

        The interval ends are the means of the interval ends. This is conservative: all best
        responses play the same deals, and the standard error of a mean is at most the mean of the
        standard errors.
        """
        share = mean_of([response.share for response in self.responses])
        gain = mean_of([response.gain for response in self.responses])
        responses = [response.to_json() for response in self.responses]
        return Attack(share, gain, self.responses[0].games, {"each": responses})

    def to_json(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        attacks = {"best_response": self.best_response, "search": self.search}
        gains = {name: attack.to_json() for name, attack in attacks.items()}
        return self.facts | gains | {"teams": [attack.to_json() for attack in self.teams]}

    def to_text(self) -> str:
        """Return an aligned table below a line that describes the games."""
        facts = self.facts
        players = self.facts["players"]
        rules = "".join(f", {name}={rule}" for name, rule in facts["rules"].items())
        copies = "a copy" if players == 2 else f"{players - 1} copies"
        heading = (
            f"{facts['game']}, {players} players{rules}: one attacker against {copies} of "
            f"{facts['policy']}, seed {facts['seed']}; parity {1 / players:.3f}"
        )
        budget = self.search.means["budget"]
        decision_budget = (
            f"{budget.removesuffix('ms')} ms" if budget.endswith("ms") else f"{budget} worlds"
        )
        attacks = {f"best response, {_title(attack.means)}": attack for attack in self.responses}
        if len(self.responses) > 1:
            attacks["mean of the best responses"] = self.best_response
        attacks[f"search ({decision_budget} a decision)"] = self.search
        for attack in self.teams:
            attacks[f"team of {players - 1}: {_title(attack.means)}; left to the policy"] = attack
        rows = [("attacker", "games", "win share", "95 %", "gain", "95 %")]
        for title, attack in attacks.items():
            estimates = *attack.share.texts(".3f"), *attack.gain.texts("+z.3f")
            rows.append((title, f"{attack.games:,}", *estimates))
        return f"{heading}\n\n{table(rows)}"


def mean_of(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean of estimates from the same deals.

    The interval ends are the means of the interval ends.
    """
    return Estimate(*map(fmean, zip(*map(astuple, estimates), strict=True)))


def _title(learned: dict[str, Any]) -> str:
    minutes = "" if learned["minutes"] is None else f"{learned['minutes']:g} minutes, "
    return f"seed {learned['seed']} ({minutes}{learned['steps']:,} steps)"


def exploitability(
    config: BestResponseConfig,
    games: int = 8_000,
    seed: int = 0,
    workers: int = 1,
    recipe: Recipe | None = None,
) -> Exploitability:
    """Train best responses and teams against a policy, and measure their gains and that of search.

    Args:
        config: The policy, and the budgets of the attackers.
        games: Games of each best response and team, rounded up so that each deck is played from
            every seat.
        seed: The seed of everything random; training and measurement use different deals.
        workers: Processes for playing; the result does not depend on their number.
        recipe: The settings of PPO; None: those of ``response_recipe``.

    Raises:
        ValueError: The policy is unknown or an option is invalid; raised before any training.
    """
    policy = _policy(str(config.best_response))
    save = config.save
    if save is not None:
        check_other(
            save, policy.path, "the policy itself; choose another file for the best response"
        )
        check_file(metadata_file(save))
    rules = changed_rules(policy.metadata)
    match_of = partial(
        Match,
        game=policy.game,
        players=policy.num_players,
        seed=seed,
        rules=rules,
        least_chunks=CHUNKS,
    )
    attacked = str(policy.path)
    searcher = f"{SEARCH}{attacked}:{config.search}"
    of_search = match_of(searcher, attacked, games=config.search_games)
    of_search.load_agents()  # raises ValueError if the budget is invalid
    match_of(attacked, attacked, games=games)  # raises ValueError if games is too small
    if policy.num_players == 2 and config.teams > BestResponseConfig.teams:
        raise ValueError("--teams: a game with two players has no teams; leave it out")
    number_of_teams = config.teams if policy.num_players > 2 else 0
    learners = [("best-response", number) for number in range(config.seeds)]
    learners += [(TEAM, number) for number in range(number_of_teams)]
    attacks = []
    paths = []
    with TemporaryDirectory() as folder:
        for kind, number in learners:
            team = kind == TEAM
            path = Path(folder, f"{kind}-{number}{SUFFIX}")
            means = _learn(config, policy, recipe, path, seed + number, team)
            player, copies = (attacked, str(path)) if team else (str(path), attacked)
            match = match_of(player, copies, games=games)
            attacks.append(_attack(match, workers, path.stem, means, team))
            paths.append(path)
        responses = attacks[: config.seeds]
        teams = attacks[config.seeds :]
        if save is not None:
            gains = [response.gain.mean for response in responses]
            _copy(max(zip(gains, paths, strict=False))[1], save)
    search = _attack(of_search, workers, "search", {"budget": config.search})
    facts = {
        "policy": str(config.best_response),
        "game": policy.game,
        "players": policy.num_players,
        "rules": rules,
        "temperature": policy.temperature,
        "parity": 1 / policy.num_players,
        "seed": seed,
    }
    return Exploitability(facts, responses, search, teams)


def _learn(
    config: BestResponseConfig,
    policy: OnnxAgent,
    recipe: Recipe | None,
    path: Path,
    seed: int,
    team: bool,
) -> dict[str, Any]:
    """Train and write a best response or a team; return its means."""
    response = train_best_response(
        policy,
        minutes=config.minutes,
        steps=config.steps,
        seed=seed % (MOST_SEED + 1),
        threads=config.threads,
        recipe=recipe,
        team=team,
    )
    _export(response, policy, path)
    return {name: response.training[name] for name in MEANS}


def _policy(named: str) -> OnnxAgent:
    """Load the policy of a file or a shipped one; raise ValueError if it cannot be played."""
    policy = load(named)
    assert isinstance(policy, OnnxAgent)
    policy.check(game_of(policy.metadata))
    return policy


def _export(response: BestResponse, policy: OnnxAgent, path: Path) -> None:
    agent = response.agent
    game = game_of(policy.metadata)
    facts = {"algorithm": "PPO best response", "against": policy.name, **response.training}
    export_policy(agent.network, game, path, temperature=agent.temperature, training=facts)


def _copy(source: Path, path: Path) -> None:
    with written_with_metadata(path) as aside:
        aside.write_bytes(read_policy(source).content)


def _attack(
    match: Match, workers: int, title: str, means: dict[str, Any], team: bool = False
) -> Attack:
    """Play the match; return the gain over parity, or the policy's loss to a team."""
    won = match.play(workers, title).share
    parity = 1 / match.players
    gain = Estimate(won.mean - parity, won.low - parity, won.high - parity)
    if team:
        gain = Estimate(-gain.mean, -gain.high, -gain.low)
    return Attack(won, gain, -(-match.games // match.players) * match.players, means)
