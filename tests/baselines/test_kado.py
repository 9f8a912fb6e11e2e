"""The scripted players of KADO: their choices in clear cases."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest

from kododo_env.baselines import kado, kado_tableaus
from kododo_env.baselines.kado import GreedyAgent, HeuristicAgent, Plan
from kododo_env.baselines.kado_tableaus import TableauView, points_expected, points_now
from kododo_env.core import Agent
from kododo_env.games.kado import KadoGame, Rules
from tests.games.kado.written_deals import (
    act,
    card,
    deal,
    give,
    pass_all,
    place,
    play_turn,
    start,
)
from tests.helpers import play_random

BOTH = pytest.mark.parametrize(
    "agent", [GreedyAgent(), HeuristicAgent()], ids=lambda agent: agent.name
)


def choice(agent: Agent, game: KadoGame, player: int) -> int:
    return int(agent.act(game.view(player), np.random.default_rng(0))[0])


# --- what cards gain --------------------------------------------------------------------


def two_cards_each() -> KadoGame:
    """Return a game before the third turn (dealer 2): player 0 has SV3 SV5 in a row."""
    game = start("SV3 CO1 PG1 SV5 FB1 HR1", Rules(num_players=3))
    play_turn(game, [0, 1], (0, 0))
    play_turn(game, [2, 0], (0, 1))
    assert game.tableaus[0, 0, 2, 3:5].tolist() == [card("SV3"), card("SV5")]
    return game


def test_points_now_are_those_of_the_games_own_scoring() -> None:
    for seed in range(3):
        game = KadoGame(12, Rules(num_players=3), seed=seed)
        play_random(game, np.random.default_rng(seed), 36 + seed)
        while game.phase != 2:
            play_random(game, np.random.default_rng(seed), 1)
        situation = TableauView(game.view(1))
        gains = points_now(situation, 0).by_cell(situation.card)
        before = game.scores[:, 1].copy()
        actions = game.legal_action_mask().argmax(axis=2)
        for index in range(12):
            # In each of twelve games one player takes another cell; the others play at random.
            for cell in np.argwhere(game.open_cells[index, 1]):
                actions[index, 1] = game.moves.place + cell[0] * 7 + cell[1]
                after = game.clone()
                after.step(actions)
                gained = after.scores[index, 1] - before[index]
                assert gains[cell[0], cell[1], index] == gained


def test_points_expected_prefer_the_row_of_the_gift_and_the_column_of_the_ribbon() -> None:
    game = two_cards_each()
    situation = TableauView(game.view(0))
    gains = points_expected(situation, 0)
    same_gift = gains.by_cell(np.array([card("SO4")]))[:, :, 0]
    assert np.unravel_index(same_gift.argmax(), same_gift.shape) in {(2, 2), (2, 5)}
    same_ribbon = gains.by_cell(np.array([card("HV4")]))[:, :, 0]
    assert np.unravel_index(same_ribbon.argmax(), same_ribbon.shape) in {
        (1, 3), (1, 4), (3, 3), (3, 4),
    }  # fmt: skip


def test_in_the_last_turn_what_is_expected_is_the_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one cell left the expected points are exact up to rounding."""
    monkeypatch.setattr(kado_tableaus, "SPREAD", np.float32(0.01))
    game = KadoGame(50, Rules(num_players=2), seed=3)
    while game.turn < 11:
        play_random(game, np.random.default_rng(game.turn), 1)
    situation = TableauView(game.view(0))
    points = points_now(situation, 0).best(situation.parts)
    assert np.abs(points_expected(situation, 0).best(situation.parts) - points).max() < 1


# --- decisions --------------------------------------------------------------------------


def test_the_heuristic_places_where_the_card_fits() -> None:
    game = start("SV3 CO1 PG1 SV5 FB1 HR1 SO4 FV2 CG2", Rules(num_players=3))
    play_turn(game, [0, 1], (0, 0))
    play_turn(game, [2, 0], (0, 1))
    deal(game, [1, 0])  # the dealer is player 2, so player 0 gets SO4
    pass_all(game)
    # The immediate score is equal in all cells, so greedy is indifferent.
    assert choice(HeuristicAgent(), game, 0) in {place(3, 0, -1), place(3, 0, 2)}
    values = GreedyAgent().action_values(game.view(0))[game.view(0).legal_action_mask[0], 0]
    assert (values == 4).all()


def test_greedy_keeps_what_scores_well_and_gives_away_what_does_not() -> None:
    game = start("HR5 SV1", Rules(num_players=3))
    assert choice(GreedyAgent(), game, 0) == give(0)
    game = start("SV1 HR5", Rules(num_players=3))
    assert choice(GreedyAgent(), game, 0) in {give(1), give(2)}


def test_greedy_puts_nothing_aside_while_it_can_give_it_away() -> None:
    game = start("SV1 HR5", Rules(num_players=2))
    assert choice(GreedyAgent(), game, 0) == give(1)


@BOTH
def test_a_kind_named_in_vain_is_not_named_again(agent: Agent) -> None:
    tried = 0
    for seed in range(30):
        game = KadoGame(1, Rules(num_players=4), seed=seed)
        deal(game, [0, 1, 2])
        named = []
        while not game.swapped[0] and game.turn == 0:
            chosen = choice(agent, game, game.challenger)
            assert chosen >= game.moves.guess
            gift, ribbon = divmod(chosen - game.moves.guess, 5)
            assert all(gift != guess[0] and ribbon != guess[1] for guess in named)
            named.append((gift, ribbon))
            act(game, **{f"p{game.challenger}": chosen})
            tried += len(named) > 1
    assert tried > 10


def test_the_heuristic_names_what_fits_it_and_the_dealer() -> None:
    """Of two equally likely kinds it guesses the one that it can use."""
    game = two_cards_each()
    deal(game, [1, 2])
    assert game.challenger == 0
    chosen = choice(HeuristicAgent(), game, 0)
    named = divmod(chosen - game.moves.guess, 5)
    assert named[0] == "SCPFH".index("S") or named[1] == "VOGBR".index("V")


def test_the_heuristic_passes_when_every_swap_loses() -> None:
    """No challenge gains if the dealer certainly kept the worst card."""
    game = two_cards_each()
    deal(game, [1, 2])
    view = game.view(0)
    situation = TableauView(view)
    plan = Plan(situation, situation.dealer)
    me = len(plan.gain) - situation.dealer
    gains = plan.gain[me] + plan.gain[0] / 2
    worst, best = (np.zeros_like(plan.share) for _ in range(2))
    worst[gains[:, 0].argmin()] = 1
    best[gains[:, 0].argmax()] = 1
    assert (plan.guesses(me, best, worst) > 0).any()
    right = plan.guesses(me, worst, best)
    gift, ribbon, _ = situation.parts[:, gains[:, 0].argmin()]
    right[gift, ribbon] -= 2  # what a perfect wins
    assert (right <= 0).all()


def suspected_gain(game: KadoGame, player: int) -> float:
    """Return the challenger's estimate of the gain of a dealer who ignores challenges."""
    situation = TableauView(game.view(player))
    with patch.object(kado, "LUCK", 0.05):
        plan = Plan(situation, situation.dealer)
    dealer_probabilities, _ = HeuristicAgent().suspected(situation, plan)
    return float((dealer_probabilities * plan.gain[0]).sum() / dealer_probabilities.sum())


def test_a_card_that_a_dealer_kept_with_a_choice_is_believed_to_fit_them() -> None:
    game = two_cards_each()  # the dealer of the next turn is player 2
    early = game.clone()
    late = game.clone()
    deal(early, [0, 1])
    deal(late, [1, 2])
    assert suspected_gain(early, 0) > suspected_gain(late, 0) + 0.2
    assert abs(suspected_gain(late, 0)) < 1e-4


def test_in_the_duel_a_card_kept_rather_than_put_aside_is_believed_to_fit_better() -> None:
    game = start("SV3 CO1 SV5 FB1 HR1 PG1 CB3", Rules(num_players=2))
    play_turn(game, [0, 1], (0, 0))  # player 1 deals next
    first = game.clone()
    second = game.clone()
    forced = game.clone()
    deal(first, [0, 1])  # they could have given it away, or put it aside
    act(second, p1=2)
    deal(second, [0])  # they have put one aside, and could have given away this one
    deal(forced, [1])
    act(forced, p1=2)  # the remaining card is theirs, after another was put aside
    gains = [suspected_gain(position, 0) for position in (first, second, forced)]
    assert gains[0] > gains[1] + 0.1
    assert gains[1] > gains[2] + 0.1
    assert abs(gains[2]) < 1e-4


def test_a_dealer_who_fears_no_challenge_keeps_more_of_what_fits() -> None:
    game = KadoGame(400, Rules(num_players=4), seed=5)
    play_random(game, np.random.default_rng(5), 4 * 7 - 1)
    assert game.phase == 0
    view = game.view(game.dealer)
    situation = TableauView(view)
    fits = points_expected(situation, 0).by_cell(situation.card).max(axis=(0, 1))
    differences = []
    for luck in (0.05, 0.5):
        with patch.object(kado, "LUCK", luck):
            keeps = HeuristicAgent().act(view, np.random.default_rng(0)) == give(0)
        differences.append(fits[keeps].mean() - fits[~keeps].mean())
    assert differences[0] > max(differences[1], 0) + 0.5
