"""Nothing hidden in observation, view, text, picture or determinised copy."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.everything import check_same
from kododo_env.testing.games.playing import Subject, shown_by, turns
from kododo_env.testing.report import Fault, LeftOut
from kododo_env.testing.secrets.lookalikes import Place, places

SAMPLES = 3
TWINS = 6  # of those that a player cannot tell apart, how many are looked through


def hidden_cards(subject: Subject) -> str:
    """Hidden cards that are dealt again change nothing that the player is shown.

    And of two games that differ only in what the player cannot know, the copies dealt with the
    same random numbers are the same, in every attribute.
    """
    stops, twins, varied, looked = subject.stops(1), 0, False, 0
    for place in places(subject):
        if place.step not in stops and not place.game.terminated.all():
            continue
        looked += 1
        for player in range(place.game.num_players):
            varied |= _shown_alike(place, player, subject)
            twins += _copied_alike(place, player, subject)
        _goes_on(place, subject)
    if not varied:
        raise LeftOut("in this game nothing is hidden")
    return f"{twins} games told apart by nobody, at {looked} places of {place.step} steps"


def _shown_alike(place: Place, player: int, subject: Subject) -> bool:
    """Copies look to the player as the game does; whether they differ for somebody else."""
    # A copy, so that the game itself is looked at just as its twins are.
    game, when = copy.deepcopy(place.game), f"after step {place.step}"
    before = game.state()
    dealt = game.view(player).determinize(subject.rng(place.step), SAMPLES)
    wrong = f"{when} determinize changes the game itself:"
    check_same(game.state(), before, "state()", wrong)
    if dealt.num_envs != SAMPLES:
        raise Fault(f"{when} determinize makes {dealt.num_envs} games, not {SAMPLES}")
    _same_shown(shown_by(dealt.view(player)), shown_by(game.view(player)), player, when)
    for way in ("text", "svg"):
        shown = {getattr(dealt, way)(index, player) for index in range(SAMPLES)}
        if shown != {getattr(game, way)(0, player)}:
            raise Fault(f"{when} {way}() for player {player} shows what the player cannot know")
    return bool((dealt.observe() != game.observe()).any())


def _goes_on(place: Place, subject: Subject) -> None:
    """A game dealt again is a game: its state is one, and it can be played on."""
    player = place.step % place.game.num_players
    game = copy.deepcopy(place.game)  # see above
    dealt = game.determinize(player, subject.rng(place.step), SAMPLES)
    try:
        subject.game(SAMPLES).load_state(dealt.state())
        for actions in turns(dealt, subject.rng(3)):
            dealt.step(actions)
    except ValueError as error:
        what = f"after step {place.step} a game dealt again for player {player}"
        raise Fault(f"{what} cannot be played on: {error}") from error


def _same_shown(dealt: dict[str, Any], real: dict[str, Any], player: int, when: str) -> None:
    """All that a view of one game tells is told by the view of its copies, of each one."""
    for name, value in real.items():
        expected = _repeated(value) if name != "num_envs" else SAMPLES
        wrong = f"{when} a view shows what its player cannot know: dealt again,"
        check_same(dealt[name], expected, f"view({player}).{name}", wrong)


def _repeated(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.repeat(value, SAMPLES, axis=0) if value.ndim and len(value) == 1 else value
    return {k: _repeated(v) for k, v in value.items()} if isinstance(value, dict) else value


def _copied_alike(place: Place, player: int, subject: Subject) -> int:
    """Of games that the player cannot tell apart, copies are the same; how many were compared."""
    twins = place.of(player)
    if place.game.terminated.all():  # cards may then lie open that are not observed
        twins = [twin for twin in twins if twin.text(0, player) == place.game.text(0, player)]
    twins = twins[:TWINS]
    salt, when = place.step + 1, f"after step {place.step}"
    truth = place.game.view(player).determinize(subject.rng(salt), SAMPLES)
    for twin in twins:
        dealt = twin.view(player).determinize(subject.rng(salt), SAMPLES)
        for what, here, there in (
            ("state", dealt.state(), truth.state()),
            ("attributes", vars(dealt), vars(truth)),
        ):
            wrong = (
                f"{when} a copy redealt for player {player} reveals what the player cannot "
                f"know: of two games that player {player} cannot tell apart,"
            )
            check_same(here, there, what, wrong)
    if any(_differ_for_others(twin, place.game) for twin in twins):
        _varied(place.game, player, subject, when)
    return len(twins)


def _differ_for_others(one: BatchGame, other: BatchGame) -> bool:
    return bool((one.observe() != other.observe()).any())


def _varied(game: BatchGame, player: int, subject: Subject, when: str) -> None:
    """Where others may see something else, not all copies show them the same."""
    dealt = game.determinize(player, subject.rng(99), 64).observe()
    if (dealt == dealt[:1]).all():
        raise Fault(
            f"{when} all copies dealt again for player {player} are the same, though there are "
            f"other games that player {player} cannot tell from this one"
        )
