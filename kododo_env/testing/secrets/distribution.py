"""The check that ``determinize`` samples uniformly from all possible decks.

As long as no other player has had a choice, all decks that are consistent with the player's
knowledge are equally likely. The check samples such decks without ``determinize``: it tries which
pairs of cards can be swapped without a change in what the player sees, and shuffles cards within
the groups that these pairs form. It then plays these games and the determinised games at random,
and compares statistics of their observations.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Array, Bool, Int64, Uint8
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.games.observations import piece_at
from kododo_env.testing.games.subject import Subject, turns
from kododo_env.testing.report import Fault, SkippedCheck

SAMPLES = 1_000
MOST_PAIRS = 2_000
MOST_STEPS = 8
BUCKETS = 64
FAR_MEAN = 6.5  # standard errors; random deviations exceed it in 1 of 10,000 runs, with 1e6 means
FAR_BUCKETS = 7.0  # standard deviations of a chi-square


def determinised_evenly(subject: Subject) -> str:
    """Check ``determinize`` for each player, at the last step before another player has a choice.

    Raises:
        SkippedCheck: No card is hidden after the deal.
    """
    players = subject.game(1).num_players
    compared = 0
    for player in range(players):
        game, deck, actions = _before_others_choose(subject, player)
        hidden = _hidden_together(subject, deck, actions, player)
        if not any(len(places) > 1 for places in hidden):
            continue
        even = _shuffled(subject, deck, actions, player, hidden)
        dealt = game.determinize(player, subject.rng(21), SAMPLES)
        compared += _compare(even, dealt, subject, f"for player {player}")
    if not compared:
        raise SkippedCheck("no card is hidden after the deal")
    return f"{compared} counts of {SAMPLES} copies for each of {players} players"


def _before_others_choose(subject: Subject, player: int) -> tuple[BatchGame, Uint8, list[Int64]]:
    """Play until another player has a choice: the game, its deck and the actions so far."""
    game = subject.game(1)
    deck = game.sample_decks(1, subject.rng(20))
    game.reset(decks=deck)
    played: list[Int64] = []
    for actions in turns(game, subject.rng(22)):
        if np.delete(game.deciding()[0], player).any() or len(played) == MOST_STEPS:
            break
        played.append(actions)
        game.step(actions)
    return game, deck, played


def _replay(
    subject: Subject, decks: Uint8, actions: list[Int64], player: int
) -> tuple[BatchGame, Bool]:
    """Replay actions with other decks, and return which games look like the first to the player.

    Other players have had no choice, so their actions are replaced by their only legal actions.
    """
    game = subject.dealt(decks)
    unchanged = np.ones(len(decks), np.bool_)
    for chosen in [*actions, None]:
        for rows in (game.observe()[:, player], game.legal_action_mask()[:, player]):
            unchanged &= (rows == rows[0]).all(axis=1)
        if chosen is not None:
            joint_actions = np.repeat(chosen, len(decks), axis=0)
            mask = game.legal_action_mask()
            legal = np.take_along_axis(mask, joint_actions[:, :, None], axis=2)[:, :, 0]
            unchanged &= legal[:, player]
            game.step(np.where(legal, joint_actions, mask.argmax(axis=2)))
    return game, unchanged


def _hidden_together(
    subject: Subject, deck: Uint8, actions: list[Int64], player: int
) -> list[list[int]]:
    """Group the places of the first deal whose cards can be swapped without the player noticing."""
    cards = deck.reshape(-1, deck.shape[-1])[0]
    pairs = [
        pair for pair in combinations(range(len(cards)), 2) if cards[pair[0]] != cards[pair[1]]
    ]
    if len(pairs) > MOST_PAIRS:
        chosen = subject.rng(23).choice(len(pairs), MOST_PAIRS, replace=False)
        pairs = [pairs[index] for index in chosen]
    decks = np.repeat(deck, len(pairs) + 1, axis=0)
    flat = decks.reshape(len(decks), -1)
    for row, (first, second) in enumerate(pairs, start=1):
        flat[row, [first, second]] = flat[row, [second, first]]
    _, unchanged = _replay(subject, decks, actions, player)
    groups = list(range(len(cards)))  # the index of each place's group
    for (first, second), unnoticed in zip(pairs, unchanged[1:], strict=True):
        if unnoticed and groups[first] != groups[second]:
            groups = [groups[second] if group == groups[first] else group for group in groups]
    return [
        [place for place, group in enumerate(groups) if group == name]
        for name in sorted(set(groups))
    ]


def _shuffled(
    subject: Subject, deck: Uint8, actions: list[Int64], player: int, hidden: list[list[int]]
) -> BatchGame:
    """Return games of decks drawn uniformly from those that look the same to the player."""
    rng = subject.rng(24)
    decks = np.repeat(deck, SAMPLES + 1, axis=0)
    moved = np.zeros(len(decks), np.bool_)
    for _ in range(8):  # proposed shuffles; those that the player would notice are rejected
        proposed = decks.copy()
        flat = proposed.reshape(len(decks), -1, deck.shape[-1])[1:]
        for places in hidden:
            flat[:, 0, places] = rng.permuted(flat[:, 0, places], axis=1)
        flat[:, 1:] = rng.permuted(flat[:, 1:], axis=2)
        _, unchanged = _replay(subject, proposed, actions, player)
        decks[unchanged] = proposed[unchanged]
        moved |= unchanged
    if not moved.all():
        raise SkippedCheck("too few shuffled decks look the same to a player")
    game, _ = _replay(subject, decks, actions, player)
    return game.take(np.arange(1, len(decks)))


def _compare(even: BatchGame, dealt: BatchGame, subject: Subject, label: str) -> int:
    """Play both batches at random, and compare the statistics of all observations."""
    trails = np.zeros((2, SAMPLES), np.uint64)
    rng = subject.rng(25)
    counts = 0
    for step in range(MOST_STEPS):
        observations = [game.observe().reshape(SAMPLES, -1) for game in (even, dealt)]
        when = f"after {step} more steps" if step else "at once"
        counts += _same_frequencies(observations, even, f"{label}, {when},")
        weights = rng.integers(1, 1 << 63, observations[0].shape[1], dtype=np.uint64) | np.uint64(1)
        for trail, numbers in zip(trails, observations, strict=True):
            trail += (numbers * weights).sum(axis=1, dtype=np.uint64)
        _same_worlds(trails, f"{label}, {when},")
        if even.terminated.all() or dealt.terminated.all():
            break
        for game in (even, dealt):
            game.step(random_legal_actions(game.legal_action_mask(), rng))
    return counts


def _same_frequencies(observations: list[Array], game: BatchGame, label: str) -> int:
    """Compare the mean of each number of the observations, and how often it is not 0."""
    varies = np.flatnonzero(
        (observations[0] != observations[0][0]).any(axis=0)
        | (observations[1] != observations[0][0]).any(axis=0)
    )
    if not len(varies):
        return 0
    numbers = [rows[:, varies].astype(np.float32) for rows in observations]
    for kind, (expected, actual) in (
        ("value", numbers),
        ("presence", [array > 0 for array in numbers]),
    ):
        spread = np.sqrt((expected.var(axis=0) + actual.var(axis=0)) / SAMPLES) + 1e-9
        distances = np.abs(expected.mean(axis=0) - actual.mean(axis=0)) / spread
        worst = int(distances.argmax())
        if distances[worst] > FAR_MEAN:
            seat, place = divmod(int(varies[worst]), game.layout.size)
            raise Fault(
                f"{label} {piece_at(game, place)}, as "
                f"observed by player {seat} has the mean {actual.mean(axis=0)[worst]:.3f} in the "
                f"copies, expected {expected.mean(axis=0)[worst]:.3f} ({kind})"
            )
    return len(varies)


def _same_worlds(trails: npt.NDArray[np.uint64], label: str) -> None:
    """Compare the frequencies of whole games, hashed into a few buckets, by a chi-square test."""
    buckets = ((trails >> np.uint64(40)) % np.uint64(BUCKETS)).astype(np.intp)
    expected, actual = (np.bincount(row, minlength=BUCKETS).astype(np.float64) for row in buckets)
    filled = expected + actual > 0
    freedom = int(filled.sum()) - 1
    if freedom < 1:
        return
    squares = (expected - actual)[filled] ** 2 / (expected + actual)[filled]
    chi_square = float(squares.sum())
    if chi_square > freedom + FAR_BUCKETS * np.sqrt(2 * freedom) + 10:
        raise Fault(
            f"{label} the copies are not uniform over the possible games: chi-square "
            f"{chi_square:.0f} with {freedom} degrees of freedom"
        )
