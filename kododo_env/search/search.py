"""Search by determinisation: play out worlds that agree with what the player knows.

For each decision the hidden cards are dealt again, consistently with the player's view and weighted
by the other players' actions (``kododo_env.search.beliefs``). In each such world every candidate
action is tried, and then a policy plays all seats, each by its own view. It plays to the end of the
round. In games without rounds it plays some steps if it is a ``ValueAgent``, or else to the end of
the game. The search chooses the policy's own action unless another action's expected win share is
significantly higher. It accesses the game only through ``view.determinize``, so that it cannot
cheat and works for every game.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Bool, Float64, Int64
from kododo_env.arrays.underflow import underflow_is_zero
from kododo_env.checks.bounds import Bound, check_settings, positive
from kododo_env.core.agent import (
    TIE,
    Agent,
    ProbabilisticAgent,
    ValueAgent,
    check_agents,
    check_forgets,
    choice_of,
    first_of_best,
    joint_action,
)
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import RoundPlay
from kododo_env.core.view import View
from kododo_env.search.beliefs import likely_worlds
from kododo_env.search.outcome_model import FITTED_GAMES, OutcomeModel, softmax

BATCH = 1024  # the most games played out at once
LEAST_BATCH = 128  # about the fewest, if time is limited
# A gain must exceed 0 by this many standard errors. The number is larger for whole games, in which
# gains are small and noise is large, so that false positives would cost more than true ones gain.
DOUBT_OF_ROUNDS = 1.0
DOUBT_OF_GAMES = 1.5
CANDIDATES = 10  # the policy's likeliest actions; with more, each would get fewer worlds
LOOKAHEAD = 8  # in games without rounds, steps before the policy's value replaces further play
# The same for ``probability``, which needs more steps: errors of values cancel only in differences.
FAR_AHEAD = 16
LEAST_GAIN = -2.0  # below every candidate's gain, since shares are between 0 and 1
Means = tuple[Float64, Float64]  # means and their standard errors


@dataclass(frozen=True)
class SearchBudget:
    """The budget of a decision.

    Attributes:
        worlds: The total number of worlds per decision.
        milliseconds: The mean time per decision, used instead of ``worlds`` unless it is None;
            the decisions of a batch share their total time.
    """

    worlds: Annotated[int, Bound(1, 100_000)] = 64
    milliseconds: Annotated[float, positive(600_000)] | None = None

    def __post_init__(self) -> None:
        check_settings(self)


class Pace:
    """A time budget: estimates how many worlds fit into the remaining time."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.start_time = self.last_time = clock()
        self.games = 0  # in the last call
        self.speed = 0.0  # games per second

    def worlds(self, games: int, seconds: float) -> int:
        """Return how many worlds to try next: few at first, and 0 if time is too short.

        Args:
            games: The number of games played out in each world.
            seconds: The time limit, counted from the creation of this object.
        """
        clock_time = self.clock()
        least_worlds = max(1, LEAST_BATCH // games)
        worlds = least_worlds
        if self.games:
            self.speed = self.games / max(clock_time - self.last_time, 1e-6)
        if self.speed:
            fitting = self.speed * (self.start_time + seconds - clock_time) / games
            worlds = int(min(fitting, max(1, BATCH // games)))
            if worlds < least_worlds:
                worlds = 0
        self.last_time = clock_time
        self.games = worlds * games
        return worlds


class PolicySearch(Agent):
    """The base class of searches that play out worlds.

    Args:
        policy: The scripted or learned agent that plays all seats in the worlds.
        budget: The budget per decision.
        name: The name in tables of results.
        clock: A function that returns the time in seconds, for a time budget;
            ``time.process_time`` counts processor time only.

    Raises:
        ValueError: The policy keeps a memory of its games.
    """

    kind: ClassVar[str]

    def __init__(
        self,
        policy: Agent,
        budget: SearchBudget | None = None,
        name: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        check_forgets(policy)
        self.policy = policy
        self.clock = clock
        self.budget = SearchBudget() if budget is None else budget
        self.name = name or f"{self.kind}-{policy.name}"

    def check(self, game: BatchGame) -> None:
        """Raise ValueError unless the policy can play this game; scripted players can play any."""
        check_agents(game, [self.policy])


class SearchAgent(PolicySearch):
    """A search that improves a policy's choices; for the arguments see ``PolicySearch``.

    If play-outs stop before the end of the game, an ``OutcomeModel`` estimates the win share. It is
    created when it is first needed.
    """

    kind = "search"

    @cached_property
    def _models(self) -> dict[Any, OutcomeModel]:
        return {}  # by game and rules

    @underflow_is_zero
    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Choose actions, shape (N,)."""
        return _Search(view, self, rng).best()

    @underflow_is_zero
    def probability(self, view: View, worlds: int, rng: np.random.Generator) -> Means:
        """Return the player's expected win share if everyone follows the policy.

        Args:
            view: What the player knows in each of N games that are not over.
            worlds: The number of worlds played out for each game.
            rng: The source of randomness.

        Returns:
            The mean win share over the worlds, and its standard error, (N,) each. If a game ends
            in a world, its outcome counts, not the softmax of points that ``act`` uses.
        """
        search = _Search(view, self, rng)
        search.shares_at_the_end = BatchGame.outcome
        search.lookahead = FAR_AHEAD
        total = np.zeros((2, view.num_envs))
        for samples in parts(worlds, view.num_envs):
            dealt = likely_worlds(self.policy, view, rng, samples)
            first = joint_action(search.policies, dealt, rng)
            shares = search._play_out(dealt, first).reshape(-1, samples)
            total += shares.sum(axis=1), (shares**2).sum(axis=1)
        return _means(total[0], total[1], np.full(view.num_envs, float(worlds)))

    @underflow_is_zero
    def gain(
        self, view: View, played: Int64, alternative: Int64, worlds: int, rng: np.random.Generator
    ) -> Means:
        """Return by how much an alternative action would raise the player's win share.

        Args:
            view: What the player knows in each of N games.
            played: A legal action in each game, (N,).
            alternative: A different legal action in each game, (N,).
            worlds: The number of worlds played out; both actions are tried in the same worlds.
            rng: The source of randomness.

        Returns:
            The mean gain over the worlds, -1 to 1, and its standard error, (N,) each.
        """
        search = _Search(view, self, rng)
        number = np.arange(view.num_actions)
        search.usual = played
        search.shares_at_the_end = BatchGame.outcome
        search.candidate = (number == played[:, None]) | (number == alternative[:, None])
        search._try_worlds(worlds)
        mean, error = (
            statistic[np.arange(view.num_envs), alternative]
            for statistic in _means(search.gain, search.squares, search.visits)
        )
        return mean, error

    def horizon(self, game: BatchGame, lookahead: int = LOOKAHEAD) -> float:
        """Return how many steps are played in each world, including the decision's step."""
        if isinstance(game, RoundPlay):
            return game.round_steps
        return lookahead if isinstance(self.policy, ValueAgent) else math.inf

    def prepare(self, game: BatchGame) -> None:
        """Create the ``OutcomeModel`` for games of these rules, if it will be needed."""
        if self.horizon(game) < math.inf:
            self.outcome_model(game)

    def outcome_model(self, game: BatchGame) -> OutcomeModel:
        """Return the ``OutcomeModel`` for games of these rules; create it if necessary."""
        for _ in self.fitting(game, FITTED_GAMES):
            pass
        return self._models[game.name, game.rules]

    def fitting(self, game: BatchGame, most_games: int) -> Iterator[None]:
        """Create the ``OutcomeModel`` for games of these rules in steps, unless it exists.

        Args:
            game: A batch of these rules.
            most_games: The maximum number of games to play.
        """
        key = (game.name, game.rules)
        if key not in self._models:
            self._models[key] = yield from OutcomeModel.step_by_step(self.policy, game, most_games)


class _Search:
    """One decision in each of the N games of a view.

    The worlds are allocated by sequential halving (Z. Karnin et al., "Almost optimal exploration in
    multi-armed bandits", 2013): after each share of the budget the worse half of the candidates is
    dropped. All candidates of a game are tried in the same worlds, including the policy's own
    choice, which is never dropped; each is judged by its gain over that choice.
    """

    def __init__(self, view: View, agent: SearchAgent, rng: np.random.Generator) -> None:
        self.view = view
        self.agent = agent
        self.rng = rng
        self.policies: list[Agent | None] = [agent.policy] * view.num_players
        self.opponents = [*self.policies]
        self.opponents[view.player] = None
        self.doubt = DOUBT_OF_ROUNDS
        self.lookahead = LOOKAHEAD
        self.shares_at_the_end: Callable[[BatchGame], Float64] = shares_at_the_end
        mask = view.legal_action_mask
        self.candidate = mask & (mask.sum(axis=1) > 1)[:, None]
        self.usual: npt.NDArray[np.int64] = mask.argmax(axis=1)
        if self.candidate.any():
            self.usual = choice_of(agent.policy, view, rng).astype(np.int64)
            if self.candidate.sum(axis=1).max() > CANDIDATES:
                self._keep_likely()
        self.gain, self.squares, self.visits = np.zeros((3, *mask.shape))

    def _keep_likely(self) -> None:
        """Keep the policy's likeliest actions and its choice, if the policy has probabilities."""
        if isinstance(self.agent.policy, ProbabilisticAgent):
            probabilities = self.agent.policy.probabilities(self.view)
            threshold = -np.sort(-probabilities, axis=1)[:, CANDIDATES - 1 : CANDIDATES]
            self.candidate &= (probabilities >= threshold * (1 - TIE)) | self._is_usual()

    def _is_usual(self) -> Bool:
        """Return where the policy's own choice is, (N, A)."""
        return np.asarray(np.arange(self.candidate.shape[1]) == self.usual[:, None])

    def best(self) -> npt.NDArray[np.int64]:
        """Return the action with the largest significant gain, else the policy's choice; (N,)."""
        self._spend_budget()
        mean, error = _means(self.gain, self.squares, self.visits)
        surely = np.where(self.candidate, mean - self.doubt * error, -np.inf)
        gains = surely.max(axis=1) > TIE
        return np.where(gains, first_of_best(surely), self.usual)

    def _spend_budget(self) -> None:
        pace = Pace(self.agent.clock)
        budget = self.agent.budget
        most_candidates = self.candidate.sum(axis=1).max(initial=0)
        halvings = int(np.ceil(np.log2(max(2, most_candidates))))
        allowed = (budget.milliseconds or 0.0) * self.view.num_envs / 1000
        tried = 0
        for part in range(1, halvings + 1):
            if not self.candidate.any():
                return
            if budget.milliseconds is None:
                until = math.ceil(budget.worlds * part / halvings)
                self._try_worlds(until - tried)
                tried = until
            games = int(self.candidate.sum())
            while allowed and (worlds := pace.worlds(games, allowed * part / halvings)):
                self._try_worlds(worlds)
            self._halve()

    def _halve(self) -> None:
        """Drop the worse half of each game's candidates, and those without a gain so far.

        The policy's own choice stays; a game with no other candidate is finished. A candidate
        without a gain so far is seldom chosen in the end.
        """
        mean, _ = _means(self.gain, self.squares, self.visits)
        mean = np.where(self.candidate, mean, LEAST_GAIN)
        keep = np.maximum((self.candidate.sum(axis=1, keepdims=True) + 1) // 2, 2)
        # Candidates that tie with the worst one that stays also stay.
        threshold = np.take_along_axis(-np.sort(-mean), keep - 1, 1)
        self.candidate &= ((mean >= threshold - TIE) & (mean > TIE)) | self._is_usual()
        self.candidate &= self.candidate.sum(axis=1, keepdims=True) > 1

    def _try_worlds(self, worlds: int) -> None:
        """Try every candidate in some new worlds of its game."""
        games, actions = np.nonzero(self.candidate)
        of_game = np.unique(games, return_inverse=True)[1]
        usual = np.flatnonzero(actions == self.usual[games])[of_game]
        for samples in parts(worlds, len(games)):
            dealt = likely_worlds(self.agent.policy, self.view, self.rng, samples)
            index = (games[:, None] * samples + np.arange(samples)).ravel()
            chosen = joint_action(self.opponents, dealt, self.rng)[index]
            chosen[:, self.view.player] = np.repeat(actions, samples)
            shares = self._play_out(dealt.take(index), chosen).reshape(len(games), samples)
            gains = shares - shares[usual]
            self.gain[games, actions] += gains.sum(axis=1)
            self.squares[games, actions] += (gains**2).sum(axis=1)
            self.visits[games, actions] += samples

    def _play_out(self, game: BatchGame, actions: npt.NDArray[np.int64]) -> Float64:
        """Return the player's expected win share after these first actions, (games,)."""
        steps = self.agent.horizon(game, self.lookahead)
        game.step(actions)
        while (steps := steps - 1) and not game.terminated.all():
            game.step(joint_action(self.policies, game, self.rng))
        if not game.terminated.all():
            return self.agent.outcome_model(game).expected(game, self.view.player)
        if not isinstance(game, RoundPlay):
            self.doubt = DOUBT_OF_GAMES
        return self.shares_at_the_end(game)[:, self.view.player]


def parts(worlds: int, games: int) -> Iterator[int]:
    """Split a number of worlds into batches of at most ``BATCH`` games."""
    at_once = max(1, BATCH // games)
    for first in range(0, worlds, at_once):
        yield min(at_once, worlds - first)


def _means(total: Float64, squares: Float64, visits: Float64) -> Means:
    """Return means over worlds and their standard errors, rather too large for few worlds.

    Args:
        total: The sum over the worlds, of any shape.
        squares: The sum of squares.
        visits: The number of worlds; where it is 0 the mean is 0.
    """
    tried = np.maximum(visits, 1)
    mean = total / tried
    spread = squares / tried - mean**2
    return mean, np.sqrt((np.maximum(spread, 0.0) + 1 / (4 * tried)) / tried)


def shares_at_the_end(game: BatchGame) -> Float64:
    """Return the win shares in games that are over, (games, P), or a smoother substitute.

    In games without rounds the winner depends mostly on luck. There the softmax of the points,
    divided by their standard deviation, is less noisy, so that fewer worlds are needed to compare
    actions.
    """
    points = game.scores - game.scores.mean(axis=1, keepdims=True)
    spread = points.std()
    if isinstance(game, RoundPlay) or spread == 0:
        return game.outcome()
    return softmax(points / spread)
