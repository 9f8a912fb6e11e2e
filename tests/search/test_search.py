"""Search plays legally, uses only its view, and finds better actions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from kododo_env import combi_combo_v0, kado_v0, kododo_v0, registry
from kododo_env.agent_registry import make_agent, search_parts
from kododo_env.arena.head_to_head import Match
from kododo_env.arrays.dtypes import Floating
from kododo_env.baselines.kododo import HeuristicAgent
from kododo_env.core.agent import FirstAgent, LastAgent, RandomAgent
from kododo_env.core.view import View
from kododo_env.search import search as search_module
from kododo_env.search.flat import FlatMonteCarlo
from kododo_env.search.outcome_model import (
    BOUNDS,
    OutcomeModel,
    _fitted_weights,
    _log_loss,
    _log_odds,
    _probability,
)
from kododo_env.search.search import SearchAgent, SearchBudget, _Search, shares_at_the_end
from tests.game_tables import EXTREMES
from tests.helpers import play_random

FEW_WORLDS = SearchBudget(worlds=4)


@pytest.mark.parametrize("kind", [SearchAgent, FlatMonteCarlo])
@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_a_search_sees_nothing_hidden_and_plays_legally(
    name: str, players: int, kind: type[SearchAgent] | type[FlatMonteCarlo]
) -> None:
    """The same knowledge and generator give the same choice, whatever is hidden."""
    game = registry.batch_game(name, 20, 1, num_players=players)
    agent = kind(RandomAgent(), FEW_WORLDS)
    while not game.terminated.all():
        mask = game.legal_action_mask()
        for player in range(players):
            other_world = game.determinize(player, np.random.default_rng(2), 1)
            choice, other_choice = (
                agent.act(g.view(player), np.random.default_rng(3)) for g in (game, other_world)
            )
            assert np.array_equal(choice, other_choice)
            assert mask[np.arange(20), player, choice].all()
        play_random(game, np.random.default_rng(4), steps=6)


def test_search_leaves_the_game_and_its_generator_alone() -> None:
    game = kododo_v0.batch_game(3, num_players=2, seed=1)
    before = game.state()
    SearchAgent(RandomAgent(), FEW_WORLDS).act(game.view(1), np.random.default_rng(0))
    after = game.state()
    assert before["rng"] == after["rng"]
    assert all(np.array_equal(before[k], after[k]) for k in before if k.startswith("_"))


@pytest.mark.parametrize(
    ("kind", "worlds", "games", "least_share"),
    [(SearchAgent, 40, 60, 0.6), (FlatMonteCarlo, 8, 40, 0.7)],
)
def test_search_over_random_play_beats_random_play(
    kind: type[SearchAgent] | type[FlatMonteCarlo], worlds: int, games: int, least_share: float
) -> None:
    searcher = kind(RandomAgent(), SearchBudget(worlds=worlds))
    result = Match(searcher, RandomAgent(), "kododo", 2, games=games, seed=0).play()
    assert result.share.low > least_share


def test_points_count_more_when_less_is_to_come() -> None:
    game = kododo_v0.batch_game(2, num_players=2, seed=0)
    model = OutcomeModel(RandomAgent(), game)
    after_rounds = model.weights[3::3, 0]
    assert len(after_rounds) == game.rules.num_rounds
    assert after_rounds[0] < after_rounds[-2] / 2
    assert not model.weights[:, 1].any()  # random players do not estimate hands
    play_random(game, np.random.default_rng(0))
    for player in range(2):
        assert np.array_equal(model.expected(game, player), game.outcome()[:, player])


def _drawn(weights: tuple[float, ...], games: int = 20_000) -> tuple[Floating, Floating]:
    """Return a player's views in random games of four, and which of them they win."""
    rng = np.random.default_rng(0)
    features = np.hstack([rng.normal(size=(games, 1)), rng.integers(0, 30, (games, 4))])
    won = rng.random(games) < _probability(_log_odds(features, np.array(weights)))
    return features, won.astype(np.float64)


@pytest.mark.parametrize("weights", [(0.2, 1.5, -0.4), (1.0, 0.3, 0.5), (0.01, 0.0, 0.0)])
def test_weights_are_found_by_which_games_were_won(weights: tuple[float, ...]) -> None:
    features, won = _drawn(weights)
    fitted = _fitted_weights(features, won)
    assert np.allclose(fitted, weights, rtol=0.05, atol=0.06)
    loss, slope, curvature = _log_loss(fitted, features, won)
    assert loss <= _log_loss(np.array(weights), features, won)[0]
    assert (np.abs(slope) < 1e-4).all() or weights[1] == 0  # at the bound the slope may be positive
    near = fitted + np.diag([1e-4] * 3)
    slopes = np.array([_log_loss(point, features, won)[1] for point in near])
    assert np.allclose((slopes - slope) / 1e-4, curvature, atol=0.05 * np.abs(curvature).max())


def test_weights_stay_within_their_bounds() -> None:
    """Without bounds these weights would be infinite."""
    features, won = _drawn((0.2, -2.0, 0.0))
    assert _fitted_weights(features, won)[1] == 0
    leads = (features[:, 1] > features[:, 2:].max(axis=1)).astype(np.float64)
    fitted = _fitted_weights(features, leads)
    assert ((fitted >= BOUNDS[0]) & (fitted <= BOUNDS[1])).all()
    assert _log_loss(fitted, features, leads)[0] < 0.05
    blank_features = np.zeros((4, 5))
    assert np.allclose(_fitted_weights(blank_features, np.full(4, 0.25)), [0.1, 0, 0], atol=1e-3)


class _ValuesPoints(HeuristicAgent):
    """Random play with points as value, and higher probabilities for later actions."""

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        return RandomAgent().act(view, rng)

    def value(self, view: View) -> npt.NDArray[np.float64]:
        return view.pieces["scores"][:, 0].astype(np.float64)

    def probabilities(self, view: View) -> npt.NDArray[np.float64]:
        probabilities = view.legal_action_mask * np.arange(1.0, view.num_actions + 1)
        probabilities: npt.NDArray[np.float64] = probabilities / probabilities.sum(
            axis=1, keepdims=True
        )
        return probabilities


def test_without_rounds_a_value_stands_for_the_rest_of_the_game() -> None:
    """Regression: whole games were played out, and noise dominated the choice's effect."""
    game = kado_v0.batch_game(2, num_players=2, seed=0)
    rng = np.random.default_rng(0)
    for policy, ends in ((_ValuesPoints(), False), (RandomAgent(), True)):
        search = _Search(game.view(0), SearchAgent(policy, FEW_WORLDS), rng)
        played = game.clone()
        search._play_out(played, played.legal_action_mask().argmax(axis=2))
        assert played.terminated.all() == ends
        assert ends or played.steps_played == search_module.LOOKAHEAD


def test_the_likeliest_actions_are_tried_and_the_choice_of_the_policy() -> None:
    game = kado_v0.batch_game(30, num_players=2, seed=0)
    rng = np.random.default_rng(0)
    policy = _ValuesPoints()
    while game.legal_action_mask()[:, 0].sum(axis=1).max() < 20:
        play_random(game, rng, steps=1)
    search = _Search(game.view(0), SearchAgent(policy, FEW_WORLDS), rng)
    for legal, tried, usual in zip(
        game.legal_action_mask()[:, 0], search.candidate, search.usual, strict=True
    ):
        likeliest = np.flatnonzero(legal)[-search_module.CANDIDATES :]
        assert set(np.flatnonzero(tried)) == {*likeliest, usual}


def test_points_tell_more_than_who_won_where_whole_games_are_played_out() -> None:
    """One more point counts even for the last player; with rounds, only winning counts."""
    game = combi_combo_v0.batch_game(200, num_players=4, seed=0)
    play_random(game, np.random.default_rng(0))
    shares = shares_at_the_end(game)
    assert np.allclose(shares.sum(axis=1), 1)
    higher = game.scores[:, :, None] > game.scores[:, None]
    assert ((shares[:, :, None] > shares[:, None]) == higher).all()
    rounds = kododo_v0.batch_game(200, num_players=2, seed=0)
    play_random(rounds, np.random.default_rng(0))
    assert np.array_equal(shares_at_the_end(rounds), rounds.outcome())


def test_after_whole_games_a_gain_must_be_surer() -> None:
    """Gains of 1.2 standard errors are significant only after rounds."""
    for module, believed in ((kododo_v0, True), (combi_combo_v0, False)):
        game = module.batch_game(1, num_players=4, seed=0)
        agent = SearchAgent(RandomAgent(), SearchBudget(worlds=4))
        search = _Search(game.view(0), agent, np.random.default_rng(0))
        search._try_worlds(1)
        rivals = np.flatnonzero(search.candidate[0] & (np.arange(game.num_actions) != search.usual))
        search.gain[:] = 0
        search.visits[:] = 100
        search.squares[:] = 100 * 0.25
        search.candidate[:] = False
        search.candidate[0, rivals[0]] = True
        search.gain[0, rivals[0]] = 100 * 1.2 * 0.05
        search._spend_budget = lambda: None  # type: ignore[method-assign]
        assert (search.best()[0] == rivals[0]) == believed


def test_probabilities_and_gains_are_of_the_victory_in_the_same_worlds() -> None:
    """After the deal all players are equal; one action gains what the other loses."""
    for module in (kododo_v0, combi_combo_v0):
        game = module.batch_game(300, num_players=4, seed=0)
        search = SearchAgent(RandomAgent())
        view = game.view(0)
        mean, error = search.probability(view, 8, np.random.default_rng(0))
        assert abs(mean.mean() - 0.25) < 0.04
        assert error.shape == (300,)
        first, last = (
            agent.act(view, np.random.default_rng()) for agent in (FirstAgent(), LastAgent())
        )
        gains = search.gain(view, first, last, 4, np.random.default_rng(0))
        reverse_gains = search.gain(view, last, first, 4, np.random.default_rng(0))
        assert gains[0].std() > 0
        assert np.allclose(gains[0], -reverse_gains[0])
        assert np.allclose(gains[1], reverse_gains[1])


@pytest.mark.parametrize("a_game", [1e-5, 5e-5, 1e-4])  # seconds per game
def test_a_decision_takes_the_time_it_is_given(
    a_game: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: it took twice as long, since each part played a fixed number of games."""
    clock = [0.0]

    def try_worlds(search: _Search, worlds: int) -> None:
        clock[0] += 1e-3 + a_game * worlds * int(search.candidate.sum())
        search.visits += worlds
        search.gain += worlds * 0.1  # no candidate is dropped early

    monkeypatch.setattr(_Search, "_try_worlds", try_worlds)
    game = kododo_v0.batch_game(2, num_players=4, seed=0)
    agent = SearchAgent(RandomAgent(), SearchBudget(milliseconds=50), clock=lambda: clock[0])
    agent.act(game.view(0), np.random.default_rng(0))
    assert 0.08 < clock[0] < 0.11  # for two decisions


@pytest.mark.parametrize("worlds", [1, 2, 10, 64])
def test_all_worlds_of_a_budget_are_tried(worlds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: shares were rounded down, so that of ten worlds two were never tried."""
    tried: list[int] = []

    def try_worlds(search: _Search, worlds: int) -> None:
        tried.append(worlds)
        search.visits += worlds
        search.gain += worlds * 0.1  # no candidate is dropped early

    monkeypatch.setattr(_Search, "_try_worlds", try_worlds)
    game = kododo_v0.batch_game(2, num_players=4, seed=0)
    agent = SearchAgent(RandomAgent(), SearchBudget(worlds=worlds))
    agent.act(game.view(0), np.random.default_rng(0))
    assert sum(tried) == worlds


@pytest.mark.parametrize("noise", [-1e-9, 0, 1e-9])
def test_gains_that_differ_by_noise_alone_choose_alike(noise: float) -> None:
    """Ties go to the first action; without a gain the policy's own choice stays."""
    game = kododo_v0.batch_game(2, num_players=4, seed=0)
    search = _Search(game.view(0), SearchAgent(RandomAgent(), FEW_WORLDS), np.random.default_rng(0))
    search.usual[:] = 3
    search.doubt = 0.0
    search.visits[:] = 1
    search.candidate[:] = np.arange(game.num_actions) < 6
    search.gain[:] = [[-1, 0.5, 0.5 + noise, 0, 0.5, 0.5 - noise, *[-1] * 9], [noise] * 15]
    search._spend_budget = lambda: None  # type: ignore[method-assign]
    assert search.best().tolist() == [1, 3]
    search._halve()
    assert search.candidate.nonzero()[1].tolist() == [1, 2, 3, 4, 5]  # all of the first game
    assert search.best().tolist() == [1, 3]


@pytest.mark.parametrize("kind", ["search", "flat"])
def test_search_by_name_and_by_time(kind: str) -> None:
    agent = make_agent(f"{kind}:random:5ms", "kododo")
    game = kododo_v0.batch_game(2, seed=0)
    mask = game.legal_action_mask()[:, 0]
    assert mask[[0, 1], agent.act(game.view(0), np.random.default_rng(0))].all()
    assert make_agent(f"{kind}:greedy:8", "kado").name == f"{kind}:greedy:8"
    assert search_parts(f"{kind}:a:b:8") == (f"{kind}:", "a:b", ":8")
    assert search_parts(kind) == ("", kind, "")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("search:random", "search:AGENT:BUDGET"),
        ("flat:random", "search:AGENT:BUDGET"),
        ("search:random:fast", "search:AGENT:BUDGET"),
        ("search:random:0", "worlds must be 1 to 100000"),
        ("search:random:0ms", "milliseconds must be above 0"),
        ("search:nobody:5", "unknown agent 'nobody'"),
        ("flat:search:random:4:4", "another search"),
        ("search:flat:random:4:4", "another search"),
        ("search:level-5:4", "another search"),
    ],
)
def test_impossible_searches_are_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_agent(name, "kododo")


def test_a_search_over_a_policy_of_another_game_is_refused_before_play() -> None:
    class Elsewhere(RandomAgent):
        def check(self, game: object) -> None:
            raise ValueError("cannot play this game")

    with pytest.raises(ValueError, match="cannot play this game"):
        SearchAgent(Elsewhere()).check(kododo_v0.batch_game(1, seed=0))
    SearchAgent(RandomAgent()).check(kododo_v0.batch_game(1, seed=0))
