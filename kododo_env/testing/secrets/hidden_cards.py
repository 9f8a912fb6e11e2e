"""The check that hidden cards are not revealed.

Observations, views, text, images and determinised copies are checked.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.registry import picture_of
from kododo_env.testing.differences import check_same
from kododo_env.testing.games.subject import Subject, play, shown_by
from kododo_env.testing.report import Fault, SkippedCheck
from kododo_env.testing.secrets.lookalikes import Place, places

SAMPLES = 3
TWINS = 6  # at most this many indistinguishable games are compared


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
