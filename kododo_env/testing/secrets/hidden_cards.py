"""The check that hidden cards are not revealed.

Observations, views, text, images and determinised copies are checked. Games that a player cannot
distinguish are made by swapping two cards of a deck.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Bool, Int64, Uint8
from kododo_env.core.batch_game import BatchGame
from kododo_env.registry import picture_of
from kododo_env.testing.differences import check_same
from kododo_env.testing.games.subject import Subject, play, shown_by, turns
from kododo_env.testing.report import Fault, SkippedCheck

SAMPLES = 3
TWINS = 6  # at most this many indistinguishable games are compared
PLACES_OF_DECK = 12  # places of a deck whose cards are swapped, in all pairs
OF_LATER_DEALS = 3  # of these places, those in the second deal, if decks have several deals


def hidden_cards(subject: Subject) -> str:
    """Check that nothing that a player sees depends on hidden cards.

    In determinised copies, where hidden cards are dealt again, the player must see the same as in
    the game. Two games that the player cannot distinguish must have equal determinised copies, in
    all attributes, for equal random numbers.

    Raises:
        SkippedCheck: The game has no hidden cards.
    """
    stops = subject.stops(1)
    twins = 0
    varied = False
    visited = 0
    for place in places(subject):
        if place.step not in stops and not place.game.terminated.all():
            continue
        visited += 1
        for player in range(place.game.num_players):
            varied |= _check_view(place, player, subject)
            twins += _check_copies(place, player, subject)
        _check_playable(place, subject)
    if not varied:
        raise SkippedCheck("the game has no hidden cards")
    return f"{twins} indistinguishable games at {visited} places of {place.step} steps"


def _check_view(place: Place, player: int, subject: Subject) -> bool:
    """Check that copies look like the game to the player, and return whether they differ at all."""
    # A copy is used, so that the game itself is observed as often as its twins.
    game = copy.deepcopy(place.game)
    when = f"after step {place.step}"
    before = game.state()
    dealt = game.view(player).determinize(subject.rng(place.step), SAMPLES)
    prefix = f"{when} determinize changes the game itself:"
    check_same(game.state(), before, "state()", prefix)
    if dealt.num_envs != SAMPLES:
        raise Fault(f"{when} determinize returns {dealt.num_envs} games, not {SAMPLES}")
    _same_shown(shown_by(dealt.view(player)), shown_by(game.view(player)), player, when)
    for way in ("text", "svg"):
        outputs = {getattr(picture_of(dealt), way)(index, player) for index in range(SAMPLES)}
        if outputs != {getattr(picture_of(game), way)(0, player)}:
            raise Fault(f"{when} {way}() reveals hidden cards to player {player}")
    return bool((dealt.observe() != game.observe()).any())


def _check_playable(place: Place, subject: Subject) -> None:
    """Check that a determinised copy has a valid state and can be played to the end."""
    player = place.step % place.game.num_players
    game = copy.deepcopy(place.game)  # so that the game itself is observed as often as its twins
    dealt = game.determinize(player, subject.rng(place.step), SAMPLES)
    try:
        subject.game(SAMPLES).load_state(dealt.state())
        play(dealt, subject.rng(3))
    except (Fault, ValueError) as error:
        label = f"after step {place.step} a determinised copy for player {player}"
        raise Fault(f"{label} cannot be played: {error}") from error


def _same_shown(dealt: dict[str, Any], real: dict[str, Any], player: int, when: str) -> None:
    """Check that the view of determinised copies equals that of the game."""
    for name, attribute in real.items():
        expected = _repeated(attribute) if name != "num_envs" else SAMPLES
        prefix = f"{when} a view reveals hidden cards: in determinised copies"
        check_same(dealt[name], expected, f"view({player}).{name}", prefix)


def _repeated(attribute: Any) -> Any:
    if isinstance(attribute, np.ndarray):
        return (
            np.repeat(attribute, SAMPLES, axis=0)
            if attribute.ndim and len(attribute) == 1
            else attribute
        )
    return (
        {name: _repeated(entry) for name, entry in attribute.items()}
        if isinstance(attribute, dict)
        else attribute
    )


def _check_copies(place: Place, player: int, subject: Subject) -> int:
    """Compare copies of indistinguishable games, and return the number of games."""
    twins = place.of(player)
    if place.game.terminated.all():  # open cards need not be in observations
        text = picture_of(place.game).text(0, player)
        twins = [twin for twin in twins if picture_of(twin).text(0, player) == text]
    twins = twins[:TWINS]
    salt = place.step + 1
    when = f"after step {place.step}"
    truth = place.game.view(player).determinize(subject.rng(salt), SAMPLES)
    for twin in twins:
        dealt = twin.view(player).determinize(subject.rng(salt), SAMPLES)
        for label, actual, expected in (
            ("state", dealt.state(), truth.state()),
            ("attributes", vars(dealt), vars(truth)),
        ):
            prefix = (
                f"{when} a determinised copy for player {player} reveals hidden cards: "
                f"in copies of two games that player {player} cannot tell apart,"
            )
            check_same(actual, expected, label, prefix)
    observed = place.game.observe()
    if any((twin.observe() != observed).any() for twin in twins):  # for other players
        _check_varied(place.game, player, subject, when)
    return len(twins)


def _check_varied(game: BatchGame, player: int, subject: Subject, when: str) -> None:
    """Check that copies differ for other players."""
    dealt = game.determinize(player, subject.rng(99), 64).observe()
    if (dealt == dealt[:1]).all():
        raise Fault(
            f"{when} all determinised copies for player {player} are equal, although player "
            f"{player} cannot tell this game from others"
        )


@dataclass(frozen=True)
class Swap:
    """A swap of the cards at two places of one deal.

    Attributes:
        deal: The index of the deal.
        places: The indices of the two places.
    """

    deal: int
    places: tuple[int, int]

    def of(self, deck: Uint8) -> Uint8:
        """Return a copy of a deck, (1, D) or (1, K, D), with the two cards swapped."""
        changed = deck.copy().reshape(-1, deck.shape[-1])
        changed[self.deal, list(self.places)] = changed[self.deal, list(self.places[::-1])]
        return changed.reshape(deck.shape)


@dataclass(frozen=True)
class Place:
    """A position in a game, and in variants of this game in which two cards are swapped.

    Attributes:
        step: The number of steps since the deal.
        game: A batch of one game.
        swaps: The C swaps of the game's deck.
        variants: For each swap, the game with the swapped deck after the same actions; None if an
            action was not legal, or if no player still finds it indistinguishable.
        indistinguishable: Whether scores, observation, mask and view have been equal to those of
            the game at each step, for each variant and player, bool, shape (C, P).
    """

    step: int
    game: BatchGame
    swaps: list[Swap]
    variants: list[BatchGame | None]
    indistinguishable: Bool

    def of(self, player: int) -> list[BatchGame]:
        """Return the variants that the player cannot distinguish from the game.

        Swaps of two cards that the player sees are left out: a player who sees several cards at
        once does not see their order, but the order is not a secret.
        """
        visible = self._visible_places(player)
        return [
            variant
            for swap, variant, hidden in zip(
                self.swaps, self.variants, self.indistinguishable[:, player], strict=True
            )
            if variant is not None and hidden
            if not all((swap.deal, place) in visible for place in swap.places)
        ]

    def _visible_places(self, player: int) -> set[tuple[int, int]]:
        """Return the (deal, place) of cards that the player sees: most swaps of them showed."""
        noticed: dict[tuple[int, int], list[bool]] = {}
        for swap, hidden in zip(self.swaps, self.indistinguishable[:, player], strict=True):
            for place in swap.places:
                noticed.setdefault((swap.deal, place), []).append(not hidden)
        return {place for place, flags in noticed.items() if sum(flags) > len(flags) / 2}


def places(subject: Subject, salt: int = 0) -> Iterator[Place]:
    """Yield each position of a random game with its variants, from the deal to the end."""
    game = subject.game(1)
    rng = subject.rng(10 + salt)
    deck = game.sample_decks(1, rng)
    game.reset(decks=deck)
    swaps = _swaps(deck, rng)
    variants: list[BatchGame | None] = [subject.dealt(swap.of(deck)) for swap in swaps]
    indistinguishable = np.ones((len(swaps), game.num_players), np.bool_)
    step = 0
    for step, actions in enumerate(turns(game, rng), start=1):
        _strike_out(game, variants, indistinguishable)
        yield Place(step - 1, game, swaps, variants, indistinguishable)
        for index, variant in enumerate(variants):
            if (
                variant is None
                or not indistinguishable[index].any()
                or not _legal(variant, actions)
            ):
                variants[index] = None
                indistinguishable[index] = False
            else:
                variant.step(actions)
        game.step(actions)
    _strike_out(game, variants, indistinguishable)
    yield Place(step, game, swaps, variants, indistinguishable)


def _strike_out(game: BatchGame, variants: list[BatchGame | None], indistinguishable: Bool) -> None:
    """Mark the variants that now look different to a player."""
    views = _views_of(game)
    for index, variant in enumerate(variants):
        if variant is not None:
            indistinguishable[index] &= [
                view == variant_view
                for view, variant_view in zip(views, _views_of(variant), strict=True)
            ]


def _swaps(deck: Uint8, rng: np.random.Generator) -> list[Swap]:
    """Return swaps of all pairs of some places that hold different cards."""
    deals = deck.reshape(-1, deck.shape[-1])
    counts = [PLACES_OF_DECK]  # of places by deal
    if len(deals) > 1:
        counts = [PLACES_OF_DECK - OF_LATER_DEALS, OF_LATER_DEALS]
    swaps = []
    for deal, count in enumerate(counts):
        num = min(count, deck.shape[-1])
        chosen = sorted(rng.choice(deck.shape[-1], num, replace=False).tolist())
        swaps += [
            Swap(deal, pair)
            for pair in combinations(chosen, 2)
            if deals[deal, pair[0]] != deals[deal, pair[1]]
        ]
    return swaps


def _views_of(game: BatchGame) -> list[tuple[Any, ...]]:
    """Return what each player sees, in a comparable form."""
    return [
        (game.terminated.tobytes(), game.scores.tobytes(), *map(_bytes, attributes.values()))
        for attributes in (shown_by(game.view(player)) for player in range(game.num_players))
    ]


def _bytes(attribute: Any) -> Any:
    if isinstance(attribute, np.ndarray):
        return attribute.tobytes()
    return None if isinstance(attribute, dict) else attribute  # pieces are parts of the observation


def _legal(game: BatchGame, actions: Int64) -> bool:
    mask = game.legal_action_mask()
    return bool(np.take_along_axis(mask, actions[:, :, None], axis=2).all())
