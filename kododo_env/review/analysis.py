"""Analysis of a finished game: win probabilities, and each player's costliest choices.

A choice is judged by what its player knew at that time, so that bad luck is not a mistake: it is
tried in many worlds, which are deals of the hidden cards that agree with this knowledge
(``kododo_env.search``). It is compared only with the choice of an adviser, an agent that then plays
all seats to the end of each world.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from kododo_env.arrays.dtypes import Float64
from kododo_env.checks.numbers import whole_indices, whole_number
from kododo_env.core.agent import Agent, check_agents, choice_of
from kododo_env.core.batch_game import BatchGame
from kododo_env.records import Record, replay
from kododo_env.registry import picture_of, words_of
from kododo_env.review.hints import gives_hints, hint
from kododo_env.search.search import Means, PolicySearch, SearchAgent

COSTLIEST = 3  # choices reported per player
# Worlds per choice: the default and its bounds.
WORLDS = 256
FEWEST = 16
MOST = 100_000
# The costliest choices are estimated again in new worlds, this many times as many, since luck in
# the first worlds helped to select them. It also bounds the number of games that fit the outcome
# model.
WORLDS_FACTOR = 4
INTERVAL = 1.9599639845400536  # standard errors on each side, for 95 %


@dataclass(frozen=True)
class CostlyChoice:
    """A choice that was clearly worse than the adviser's.

    Attributes:
        step: The number of the step in the record, from 1.
        seat: The player's seat, from 0.
        action: The number of the action that was played.
        words: The action that was played, in words.
        advised: The number of the adviser's action.
        advised_words: The adviser's action, in words.
        gain: The mean increase of the player's share of the victory if the adviser's action had
            been played: 0.1 means ten more games won of a hundred.
        low: The lower end of the 95 % interval of ``gain`` over worlds; above 0.
        high: The upper end of this interval.
        text: The table before the step, as the player saw it.
    """

    step: int
    seat: int
    action: int
    words: str
    advised: int
    advised_words: str
    gain: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class Analysis:
    """An adviser's analysis of a game of P players and S steps.

    Attributes:
        game: The game's name.
        players: The players' names by seat.
        adviser: The adviser's name.
        seats: The J seats whose players were judged.
        worlds: The number of worlds per choice.
        probabilities: Each judged player's expected share of the victory after the deal and after
            each step, given what the player knew then; float64 (S + 1, J, 3), from 0 to 1. The last
            axis has the mean and the lower and upper end of its 95 % interval over worlds. The last
            step has the outcome. Before it, shares need not sum to 1, since players know different
            cards.
        choices: In the order of ``seats``, the choices of each player with ``low`` above 0, the
            costliest first, at most ``COSTLIEST`` of each player.
    """

    game: str
    players: tuple[str, ...]
    adviser: str
    seats: tuple[int, ...]
    worlds: int
    probabilities: Float64
    choices: tuple[CostlyChoice, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the analysis as a dictionary for JSON."""
        content = asdict(self)
        content["chances"] = content.pop("probabilities").tolist()
        return content


def analyse(
    record: Record,
    adviser: Agent | None = None,
    seats: Sequence[int] | None = None,
    worlds: int = WORLDS,
    seed: int = 0,
) -> Analysis:
    """Analyse a finished game: win probabilities after each step, and the costliest choices.

    The same arguments give the same result, unless the adviser is a search with a time budget.

    Args:
        record: The record of the game.
        adviser: Any agent. If it gives hints, its best hint is the advice. If it is a search, its
            policy plays all seats in the worlds. None means the policy that ships for this game or,
            if there is none for these rules, the best scripted player.
        seats: The seats whose choices are judged; None judges all seats.
        worlds: The number of worlds per choice, from 16 to 100,000. A player's costliest choices
            are estimated again in four times as many new worlds, and only these estimates are
            reported.
        seed: The seed of the worlds.

    Raises:
        ValueError: The record is invalid (see ``replay``), the adviser cannot play its game, or
            another argument is out of range.
    """
    positions = list(replay(record))
    if adviser is None:
        from kododo_env.review.best_agent import best_agent  # has more dependencies than a table

        adviser = best_agent(positions[0])
    played = [line["actions"] for line in record.lines]
    *_, analysis = analysis_in_pieces(
        positions, played, record.players, adviser, seats, worlds, seed
    )
    assert isinstance(analysis, Analysis)
    return analysis


def analysis_in_pieces(
    positions: Sequence[BatchGame],
    played: Sequence[Sequence[int]],
    players: Sequence[str],
    adviser: Agent,
    seats: Sequence[int] | None = None,
    worlds: int = WORLDS,
    seed: int = 0,
) -> Iterator[float | Analysis]:
    """Analyse a game in pieces, between which the caller can do other work; see ``analyse``.

    Args:
        positions: The game after the deal and after each of S steps, S + 1 batches of one.
        played: The joint action of each step, (S, P).
        players: The players' names by seat.
        adviser: The agent that advises.
        seats: The seats whose choices are judged; None judges all seats.
        worlds: The number of worlds per choice, from 16 to 100,000.
        seed: The seed of the worlds.

    Yields:
        The estimated share of the work that is done, from 0 to 1, before each piece of work; at the
        end the analysis.

    Raises:
        ValueError: The adviser cannot play this game, or another argument is out of range.
    """
    start = positions[0]
    judged_seats = tuple(range(start.num_players) if seats is None else seats)
    whole_indices(judged_seats, "seats", start.num_players)
    whole_number(worlds, "worlds", FEWEST, MOST)
    whole_number(seed, "seed", 0)
    judge = _Judge(adviser, start, worlds)
    decisions = np.sum([game.deciding()[0, list(judged_seats)] for game in positions])
    num_pieces = len(played) * judge.guesses(positions) + int(decisions)
    num_pieces += len(judged_seats) * (len(positions) + COSTLIEST)
    pieces = _work(judge, positions, played, tuple(players), judged_seats, seed)
    for count, analysis in enumerate(pieces):
        yield min(count / num_pieces, 1.0) if analysis is None else analysis


def _work(
    judge: _Judge,
    positions: Sequence[BatchGame],
    played: Sequence[Sequence[int]],
    players: tuple[str, ...],
    seats: tuple[int, ...],
    seed: int,
) -> Iterator[Analysis | None]:
    """Yield None before each piece of work, and at the end the analysis."""
    yield None
    if judge.guesses(positions):
        yield from judge.search.fitting(positions[0], WORLDS_FACTOR * judge.worlds)
    probabilities = []
    choices = []
    for seat in seats:
        rng = np.random.default_rng([seed, seat])
        for game in positions:
            probabilities.append(judge.probability(game, seat, rng))
            yield None
        choices += yield from judge.costliest(positions, played, seat, rng)
    yield Analysis(
        positions[0].name,
        players,
        judge.adviser.name,
        seats,
        judge.worlds,
        np.array(probabilities).reshape(len(seats), len(positions), 3).swapaxes(0, 1),
        tuple(choices),
    )


class _Decision(NamedTuple):
    """A choice that differs from the adviser's."""

    step: int
    before: BatchGame
    played: int
    advised: int


class _Judge:
    """An adviser, and the search that compares its choices with others.

    Args:
        adviser: Any agent.
        game: A batch that it must be able to play.
        worlds: The worlds per choice.
    """

    def __init__(self, adviser: Agent, game: BatchGame, worlds: int) -> None:
        check_agents(game, [adviser])
        self.adviser = adviser
        self.worlds = worlds
        # A separate search, since its outcome model is fitted to fewer games.
        self.search = SearchAgent(adviser.policy if isinstance(adviser, PolicySearch) else adviser)

    def guesses(self, positions: Sequence[BatchGame]) -> bool:
        """Return whether play-outs stop before the end of this game and need the outcome model."""
        return self.search.horizon(positions[0]) < len(positions) - 1

    def probability(
        self, game: BatchGame, seat: int, rng: np.random.Generator
    ) -> tuple[float, float, float]:
        """Return a player's expected share of the victory, and its interval."""
        if game.terminated[0]:
            return (float(game.outcome()[0, seat]),) * 3
        mean, low, high = _interval(self.search.probability(game.view(seat), self.worlds, rng))
        return mean, max(low, 0.0), min(high, 1.0)

    def costliest(
        self,
        positions: Sequence[BatchGame],
        played: Sequence[Sequence[int]],
        seat: int,
        rng: np.random.Generator,
    ) -> Generator[None, None, list[CostlyChoice]]:
        """Return the choices of a player that clearly cost most, the costliest first."""
        candidates = []
        for step, (before, actions) in enumerate(zip(positions, played, strict=False), 1):
            if before.deciding()[0, seat]:
                advised = self._advice(before, seat, rng)
                decision = _Decision(step, before, actions[seat], advised)
                if advised != decision.played:
                    candidates.append((self._gain(decision, seat, self.worlds, rng)[0], decision))
                yield
        candidates.sort(key=lambda candidate: -candidate[0])
        choices = []
        for _, decision in candidates[:COSTLIEST]:
            choices.append(self._describe(decision, seat, rng))
            yield
        return sorted(
            (choice for choice in choices if choice.low > 0), key=lambda choice: -choice.gain
        )

    def _advice(self, game: BatchGame, seat: int, rng: np.random.Generator) -> int:
        """Return the adviser's action: its best hint if it gives any, so that it is not random."""
        if gives_hints(self.adviser):
            return int(hint(self.adviser, game, seat)["actions"][0]["action"])
        return int(choice_of(self.adviser, game.view(seat), rng)[0])

    def _gain(
        self, decision: _Decision, seat: int, worlds: int, rng: np.random.Generator
    ) -> tuple[float, float, float]:
        """Return the gain by the adviser's choice, and its interval."""
        played = np.array([decision.played])
        advised = np.array([decision.advised])
        view = decision.before.view(seat)
        return _interval(self.search.gain(view, played, advised, worlds, rng))

    def _describe(self, decision: _Decision, seat: int, rng: np.random.Generator) -> CostlyChoice:
        """Return a choice with its gain in new worlds."""
        step, before, played, advised = decision
        mean, low, high = self._gain(decision, seat, WORLDS_FACTOR * self.worlds, rng)
        return CostlyChoice(
            step=step,
            seat=seat,
            action=played,
            words=words_of(before).describe_choice(played, seat),
            advised=advised,
            advised_words=words_of(before).describe_choice(advised, seat),
            gain=mean,
            low=low,
            high=high,
            text=picture_of(before).text(player=seat),
        )


def _interval(means: Means) -> tuple[float, float, float]:
    """Return the mean over worlds and its interval, for one game."""
    mean, error = (float(array[0]) for array in means)
    return mean, mean - INTERVAL * error, mean + INTERVAL * error
