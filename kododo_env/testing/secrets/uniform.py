"""Determinised copies are dealt evenly: compared with decks shuffled among the hidden places.

At the deal, and for as long as nobody else has had a choice, what the player cannot know is
which of all shuffled decks it is, of those that show the player just this. Such decks are made
without ``determinize``: any two places whose cards can change places unseen are found by trying,
and the cards of places that hang together are shuffled. Then both, these games and the
determinised ones, are played on at random, and all that anybody sees of them is counted.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from kododo_env.core.agent import random_legal_actions
from kododo_env.core.arrays import Array, Bool, Int64, Uint8
from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.games.playing import Subject, turns
from kododo_env.testing.report import Fault, LeftOut

SAMPLES = 1_000
MOST_PAIRS = 2_000
MOST_STEPS = 8
BUCKETS = 64
FAR_MEAN = 6.5  # standard errors; of a million comparisons one in ten thousand runs is farther off
FAR_BUCKETS = 7.0  # standard deviations of a chi-square with 63 degrees of freedom


def determinised_evenly(subject: Subject) -> str:
    """For each player at the deal, or as late as nobody else has chosen anything."""
    players, compared = subject.game(1).num_players, 0
    for player in range(players):
        game, deck, actions = _before_others_choose(subject, player)
        hidden = _hidden_together(subject, deck, actions, player)
        if not any(len(places) > 1 for places in hidden):
            continue
        even = _shuffled(subject, deck, actions, player, hidden)
        dealt = game.determinize(player, subject.rng(21), SAMPLES)
        compared += _compare(even, dealt, subject, f"for player {player}")
    if not compared:
        raise LeftOut("in this game nothing is hidden at the deal")
    return f"{compared} counts of {SAMPLES} copies for each of {players} players"


def _before_others_choose(subject: Subject, player: int) -> tuple[BatchGame, Uint8, list[Int64]]:
    """A game in which only this player has chosen yet: its deck, and the actions so far."""
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
    """Games of other decks and the same choices; which show the player the same as the first.

    The others have had no choice: an action that only the first game's cards forced them to play
    is another one where other cards force them.
    """
    game = subject.game(len(decks))
    game.reset(decks=decks)
    same = np.ones(len(decks), np.bool_)
    for chosen in [*actions, None]:
        for told in (game.observe()[:, player], game.legal_action_mask()[:, player]):
            same &= (told == told[0]).all(axis=1)
        if chosen is not None:
            everybody = np.repeat(chosen, len(decks), axis=0)
            mask = game.legal_action_mask()
            legal = np.take_along_axis(mask, everybody[:, :, None], axis=2)[:, :, 0]
            same &= legal[:, player]
            game.step(np.where(legal, everybody, mask.argmax(axis=2)))
    return game, same


def _hidden_together(
    subject: Subject, deck: Uint8, actions: list[Int64], player: int
) -> list[list[int]]:
    """Places of the first deal whose cards can change places without the player's seeing it."""
    first = deck.reshape(-1, deck.shape[-1])[0]
    pairs = list(combinations(range(len(first)), 2))
    pairs = [(one, other) for one, other in pairs if first[one] != first[other]]
    if len(pairs) > MOST_PAIRS:
        chosen = subject.rng(23).choice(len(pairs), MOST_PAIRS, replace=False)
        pairs = [pairs[k] for k in chosen]
    decks = np.repeat(deck, len(pairs) + 1, axis=0)
    flat = decks.reshape(len(decks), -1)
    for row, (one, other) in enumerate(pairs, start=1):
        flat[row, [one, other]] = flat[row, [other, one]]
    _, same = _replay(subject, decks, actions, player)
    group = list(range(len(first)))
    for (one, other), unseen in zip(pairs, same[1:], strict=True):
        if unseen and group[one] != group[other]:
            old, new = group[one], group[other]
            group = [new if each == old else each for each in group]
    return [[k for k, g in enumerate(group) if g == name] for name in sorted(set(group))]


def _shuffled(
    subject: Subject, deck: Uint8, actions: list[Int64], player: int, hidden: list[list[int]]
) -> BatchGame:
    """Games of decks shuffled evenly among all that the player may take for true."""
    rng = subject.rng(24)
    decks = np.repeat(deck, SAMPLES + 1, axis=0)
    moved = np.zeros(len(decks), np.bool_)
    for _ in range(8):  # proposals; a player who sees the difference keeps the deck there was
        proposed = decks.copy()
        flat = proposed.reshape(len(decks), -1, deck.shape[-1])[1:]
        for places in hidden:
            flat[:, 0, places] = rng.permuted(flat[:, 0, places], axis=1)
        flat[:, 1:] = rng.permuted(flat[:, 1:], axis=2)
        _, same = _replay(subject, proposed, actions, player)
        decks[same] = proposed[same]
        moved |= same
    if not moved.all():
        raise LeftOut("too few shuffled decks show a player the same")
    game, _ = _replay(subject, decks, actions, player)
    return game.take(np.arange(1, len(decks)))


def _compare(even: BatchGame, dealt: BatchGame, subject: Subject, who: str) -> int:
    """Play both on; all that is seen by anybody comes as often in one as in the other."""
    trails = np.zeros((2, SAMPLES), np.uint64)
    rng, counts = subject.rng(25), 0
    for step in range(MOST_STEPS):
        seen = [game.observe().reshape(SAMPLES, -1) for game in (even, dealt)]
        when = f"{step} steps on" if step else "at once"
        counts += _same_frequencies(seen, even, f"{who}, {when},")
        weights = rng.integers(1, 1 << 63, seen[0].shape[1], dtype=np.uint64) | np.uint64(1)
        for trail, numbers in zip(trails, seen, strict=True):
            trail += (numbers * weights).sum(axis=1, dtype=np.uint64)
        _same_worlds(trails, f"{who}, {when},")
        if even.terminated.all() or dealt.terminated.all():
            break
        for game in (even, dealt):
            game.step(random_legal_actions(game.legal_action_mask(), rng))
    return counts


def _same_frequencies(seen: list[Array], game: BatchGame, who: str) -> int:
    """Each number of the observations is as large, and as often not 0, as it should be."""
    varies = np.flatnonzero(
        (seen[0] != seen[0][0]).any(axis=0) | (seen[1] != seen[0][0]).any(axis=0)
    )
    for kind in ("value", "presence") if len(varies) else ():
        numbers = [each[:, varies].astype(np.float32) for each in seen]
        one, other = numbers if kind == "value" else [each > 0 for each in numbers]
        spread = np.sqrt((one.var(axis=0) + other.var(axis=0)) / SAMPLES) + 1e-9
        apart = np.abs(one.mean(axis=0) - other.mean(axis=0)) / spread
        worst = int(apart.argmax())
        if apart[worst] > FAR_MEAN:
            seat, place = divmod(int(varies[worst]), game.layout.size)
            piece = next(p for p in game.layout.pieces if place < game.layout.where(p.name).stop)
            raise Fault(
                f"{who} number {place - game.layout.where(piece.name).start} of {piece.name!r} as "
                f"seen by player {seat} is {other.mean(axis=0)[worst]:.3f} on the average of the "
                f"copies; dealt evenly it is {one.mean(axis=0)[worst]:.3f} ({kind})"
            )
    return len(varies)


def _same_worlds(trails: npt.NDArray[np.uint64], who: str) -> None:
    """Whole courses of the game, thrown into a few buckets, are spread alike."""
    buckets = ((trails >> np.uint64(40)) % np.uint64(BUCKETS)).astype(np.intp)
    one, other = (np.bincount(each, minlength=BUCKETS).astype(np.float64) for each in buckets)
    filled = one + other > 0
    freedom = int(filled.sum()) - 1
    if freedom < 1:
        return
    found = float(((one - other)[filled] ** 2 / (one + other)[filled]).sum())
    if found > freedom + FAR_BUCKETS * np.sqrt(2 * freedom) + 10:
        raise Fault(
            f"{who} the copies are spread over what may be very unevenly: chi-square {found:.0f} "
            f"with {freedom} degrees of freedom"
        )
