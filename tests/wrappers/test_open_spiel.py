"""OpenSpiel's own tests and algorithms on our games, and its bots as agents."""

# ruff: noqa: E402 - what follows is skipped where OpenSpiel is missing
from __future__ import annotations

import importlib
import itertools
import pickle
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra open-spiel)")

from open_spiel.python import policy as policies
from open_spiel.python.algorithms import (
    cfr,
    exploitability,
    external_sampling_mccfr,
    mcts,
    outcome_sampling_mccfr,
)
from open_spiel.python.algorithms.expected_game_score import policy_value
from open_spiel.python.bots.uniform_random import UniformRandomBot

from benchmarks.gambit import efg
from kododo_env import combi_combo_v0, kododo_v0, registry
from kododo_env.arena.head_to_head import Match
from kododo_env.arena.match import play
from kododo_env.core.agent import RandomAgent
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import JointDeals
from kododo_env.core.rewards import MARGIN_WEIGHT
from kododo_env.games.kododo.rules import Rules
from kododo_env.search.deals import distinct_decks
from kododo_env.search.exact import UniformAgent, exact, strategy
from kododo_env.search.game_tree import GameTree
from kododo_env.wrappers.open_spiel import SpielAgent, load_game, resampler
from kododo_env.wrappers.open_spiel.chance_nodes import MOST_DECKS, DeckDealer, dealer
from kododo_env.wrappers.open_spiel.game import RETURNS, SpielGame, from_text
from kododo_env.wrappers.open_spiel.position import Position
from tests.game_tables import TABLES
from tests.helpers import differences, random_actions
from tests.search.test_exact import Hashed

ROOT = Path(__file__).parents[2]
TINY, SMALL, MIXED = (asdict(preset()) for preset in (Rules.tiny, Rules.small, Rules.mixed))
DRAWS = {**TINY, "copies": (1, 1, 1)}  # 180 deals; cards are drawn after the first of two rounds
TWO_TURNS = {**SMALL, "copies": (1, 1, 1), "removed_cards": 0}
PAIRS = {**TINY, "copies": (1, 1, 1), "plays": (2,), "hand_size": 3}
THREE_ROUNDS = {**TINY, "num_colours": 1, "copies": (4, 4)}
THREE_PLAYERS = {**TINY, "num_players": 3, "num_colours": 3}
TWO_DEALS = {**TINY, "variant": "long", "target_score": 3}
FEW_CARDS = {
    "num_colours": 2, "copies": (1, 1, 2, 2), "opening_hand": 1, "num_turns": 1,
    "fours_points": (0, 1, 2),
}  # fmt: skip
FEWER_CARDS = {**FEW_CARDS, "num_colours": 1, "copies": (2, 2, 2, 2)}
DUEL = {
    "num_players": 2, "num_rows": 1, "num_columns": 2, "discards": 0,
    "deck": (((1,), (1, 2)), ((1, 2), (2,))),
}  # fmt: skip
KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    *((game, {"num_players": players}) for game, players in TABLES),
    ("kododo", TINY),
    ("kododo", SMALL),
    ("kododo", TWO_DEALS),
    ("combi_combo", FEW_CARDS),
    ("kado", DUEL),
)
all_kinds = pytest.mark.parametrize(("name", "rules"), KINDS)


def deal(game: Any, rng: np.random.Generator) -> Any:
    """Return a state after the chance nodes."""
    state = game.new_initial_state()
    while state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(rng.choice(outcomes, p=chances)))
    return state


def states(state: Any) -> Iterator[Any]:
    """Yield the state and all its descendants."""
    yield state
    if state.is_simultaneous_node():
        options = (state.legal_actions(p) for p in range(state.num_players()))
        for actions in itertools.product(*options):
            after = state.clone()
            after.apply_actions(actions)
            yield from states(after)
    elif not state.is_terminal():
        for action in state.legal_actions():
            yield from states(state.child(action))


# --- OpenSpiel's own tests ----------------------------------------------------------------


@all_kinds
def test_openspiels_own_test_of_a_game(name: str, rules: dict[str, Any]) -> None:
    """Copies, serialization, masks, strings, tensors and returns at every step of random games."""
    for reward in RETURNS if len(rules) > 1 else ("win",):
        pyspiel.random_sim_test(load_game(name, reward, **rules), 1, True, False)
    pyspiel.random_sim_test(load_game(name, turn_based=True, **rules), 1, True, False)


@all_kinds
def test_rewards_are_those_of_the_batch(name: str, rules: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    for reward in [*RETURNS] * 2:
        state = deal(load_game(name, reward, **rules), rng)
        batch = state.position.game.clone()
        total = np.zeros(batch.num_players)
        while not state.is_terminal():
            actions = random_actions(batch, rng)
            batch.step(actions)
            state.apply_actions(actions[0])
            share = batch.outcome()[0] - 1 / batch.num_players if batch.terminated[0] else 0
            points = batch.rewards[0].astype(float)
            margin = points - (points.sum() - points) / (batch.num_players - 1)
            gained = {"win": share, "margin": margin, "score": points}
            gained["margin+win"] = MARGIN_WEIGHT * margin + share
            total += gained[reward]
            assert state.returns() == pytest.approx(total)


def test_a_game_is_loaded_by_name_as_well() -> None:
    game = pyspiel.load_game('kododo_env(game=kododo,rules={"num_players":2;"plays":[2;2]})')
    assert isinstance(game, SpielGame)
    assert game.batch.rules.plays == (2, 2)
    assert game.num_players() == 2
    assert (game.min_utility(), game.max_utility()) == (-0.5, 0.5)
    assert game.make_py_observer().tensor.dtype == np.float32
    assert str(load_game("kododo", num_players=2, plays=(2, 2))).startswith("kododo_env(game=kod")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": "kododo", "reward": "fun"}, "unknown reward 'fun'; choose from score, margin"),
        ({"game": "kododo", "rules": "{"}, "rules must be like {\"num_players\":2}, not '{'"),
        ({"game": "kododo", "rules": "[2]"}, "rules must be like {\"num_players\":2}, not '.2.'"),
        ({"game": "kododo", "rules": '{"num_players":9}'}, "kododo needs 2 to 5 players, not 9"),
    ],
)
def test_parameters_that_make_no_game_are_refused_in_a_line(
    parameters: dict[str, str], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}[^\n]*$".replace("{", r"\{")):
        SpielGame(parameters)


def test_parts_and_positions_before_the_deal_are_refused_in_a_line() -> None:
    public = pyspiel.IIGObservationType(
        public_info=True, perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE
    )
    with pytest.raises(ValueError, match=r"kododo_env .*observers"):
        load_game("kododo", **TINY).make_py_observer(public)
    with pytest.raises(ValueError, match="has not been dealt"):
        _ = load_game("kododo", **TINY).new_initial_state().position


def test_without_openspiel_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    package = importlib.import_module("kododo_env.wrappers.open_spiel")
    monkeypatch.setattr("kododo_env.system.extras.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'kododo-env\[open-spiel\]'$"):
        importlib.reload(package)


# --- chance -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("kododo", TINY), ("kododo", DRAWS), ("kododo", {**TINY, "copies": (2, 1)}), ("kado", DUEL),
    ],
)  # fmt: skip
def test_chances_are_how_often_decks_come(name: str, rules: dict[str, Any]) -> None:
    """Compared with all orders of the cards, counted one by one."""
    if rules.get("copies") == (2, 1):
        rules = {**rules, "removed_cards": 2}
    game = registry.batch_game(name, 1, 0, **rules)
    together = getattr(game, "dealt_together", range(len(game.cards)))
    counted: Counter[tuple[Any, ...]] = Counter()
    for order in itertools.permutations(game.cards.tolist()):
        hands = defaultdict(list)
        for group, card in zip(together, order, strict=True):
            hands[group].append(card)
        counted[tuple(tuple(sorted(hand)) for hand in hands.values())] += 1
    decks = list(distinct_decks(game))
    assert len(decks) == len(counted)
    assert len({deck.cards.tobytes() for deck in decks}) == len(decks)
    assert sorted(deck.probability for deck in decks) == pytest.approx(
        sorted(number / counted.total() for number in counted.values())
    )


@pytest.mark.parametrize(
    "game",
    [
        kododo_v0.batch_game(50, 2),
        kododo_v0.batch_game(50, 5),
        kododo_v0.batch_game(50, **DRAWS),
        combi_combo_v0.batch_game(50, 4),
        combi_combo_v0.batch_game(50, 5),
        combi_combo_v0.batch_game(50, 4, opening_hand=2),
    ],
    ids=repr,
)
def test_cards_dealt_together_may_lie_in_any_order(game: BatchGame) -> None:
    assert isinstance(game, JointDeals)
    rng = np.random.default_rng(0)
    decks = game.sample_decks(50, rng)
    together = np.array(game.dealt_together)
    assert len(together) == decks.shape[1]
    assert (np.diff(together) >= 0).all()
    order = np.lexsort((-np.arange(len(together)), together))
    reordered = game.clone()
    game.reset(decks=decks)
    reordered.reset(decks=decks[:, order])
    assert (decks != decks[:, order]).any()
    while not game.terminated.all():
        assert np.array_equal(game.observe(), reordered.observe())
        actions = random_actions(game, rng)
        game.step(actions)
        reordered.step(actions)
    assert np.array_equal(game.outcome(), reordered.outcome())


def test_large_games_are_dealt_by_seeds() -> None:
    game = load_game("kododo", num_players=3)
    assert game.max_chance_nodes_in_history() == 4
    rng = np.random.default_rng(0)
    hands = [deal(game, rng).position.game.hands for _ in range(8)]
    assert len({hand.tobytes() for hand in hands}) == 8
    state = game.new_initial_state()
    for byte in (1, 2, 3, 4):
        assert state.action_to_string(byte) == f"seed {byte:02x}"
        state.apply_action(byte)
    seeded = kododo_v0.batch_game(1, 3, seed=0x01020304)
    assert np.array_equal(state.position.game.hands, seeded.hands)


def test_decks_are_counted_where_they_are_few_and_one_is_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts = {}
    for colours in (4, 5, 6, 7):
        rules = {**TINY, "num_colours": colours, "copies": (1,), "removed_cards": colours - 4}
        game = kododo_v0.batch_game(1, **rules)
        counts[colours] = sum(1 for _ in distinct_decks(game))
        assert isinstance(dealer(game), DeckDealer) == (counts[colours] <= MOST_DECKS)
    assert counts == {4: 6, 5: 30, 6: 90, 7: 210}
    game = kododo_v0.batch_game(1, **{**TINY, "copies": (2, 2)})
    for limit, has_decks in ((500, False), (827, False), (828, True)):
        monkeypatch.setattr("kododo_env.wrappers.open_spiel.chance_nodes.MOST_DECKS", limit)
        assert isinstance(dealer(game), DeckDealer) == has_decks
    assert not isinstance(dealer(kododo_v0.batch_game(1, **TWO_DEALS)), DeckDealer)


# --- information states -------------------------------------------------------------------


def test_two_worlds_have_the_same_string_only_if_the_player_cannot_tell_them_apart() -> None:
    """The player's knowledge is computed here from hands and revealed cards.

    It includes all that the player has seen and done before (perfect recall).
    """
    removed = {**TINY, "copies": (2, 1), "removed_cards": 2}
    for rules in (TINY, TWO_TURNS, PAIRS, THREE_ROUNDS, THREE_PLAYERS, removed):
        story_of_text: dict[tuple[int, str], Any] = {}
        stories = set()
        for state in states(load_game("kododo", **rules).new_initial_state()):
            if state.is_chance_node():
                continue
            for player in range(state.num_players()):
                story = history_of(state.position, player)
                text = state.information_state_string(player)
                assert story_of_text.setdefault((player, text), story) == story
                stories.add((player, story))
        assert len(story_of_text) == len(stories)


def history_of(position: Position, player: int) -> tuple[Any, ...]:
    """Return all that a player of Kododo has held, and seen revealed, in order."""
    hand = tuple(position.game.hands[0, player].tolist())
    if position.before is None:
        return (hand,)
    before = position.before.game
    slots = [[(0,), (1,), (2,)], [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]]
    ways = (
        slots[before.rules.hand_size - 2] if before.rules.hand_size == 3 else [(0,), (1,), (0, 1)]
    )
    laid = tuple(
        tuple(before.hands[0, seat, list(ways[action])].tolist())
        for seat, action in enumerate(position.actions)
    )
    return (*history_of(position.before, player), position.actions[player], laid, hand)


@all_kinds
def test_hidden_cards_are_in_no_string_or_tensor(name: str, rules: dict[str, Any]) -> None:
    """Dealing the hidden cards again does not change them."""
    rng = np.random.default_rng(0)
    state = deal(load_game(name, **rules), rng)
    differ = 0
    while not state.is_terminal():
        for player in range(state.num_players()):
            real = state.position
            world = Position(real.game.determinize(player, rng, 1), real.before, real.actions)
            differ += world.game.observe().tobytes() != real.game.observe().tobytes()
            twin = state.clone()
            twin._position = world
            assert twin.information_state_string(player) == state.information_state_string(player)
            assert twin.observation_string(player) == state.observation_string(player)
            assert twin.observation_tensor(player) == state.observation_tensor(player)
        state.apply_actions(random_actions(state.position.game, rng)[0])
    # In the tiny game each player knows the other's hand.
    assert differ > 0 or rules in (TINY, TWO_DEALS)


def test_a_player_who_chooses_later_does_not_see_earlier_choices() -> None:
    state = deal(load_game("kododo", turn_based=True, **SMALL), np.random.default_rng(0))
    texts = [state.child(action).information_state_string(1) for action in state.legal_actions()]
    assert len(texts) == 3
    assert len(set(texts)) == 1


# --- hidden cards dealt again ------------------------------------------------------------


@all_kinds
def test_a_resampled_state_is_made_of_what_the_player_sees_and_of_nothing_else(
    name: str, rules: dict[str, Any]
) -> None:
    """The result is the same from the true state and from one with other hidden cards."""
    rng = np.random.default_rng(0)
    game = load_game(name, **rules)
    state = deal(game, rng)
    step = 0
    while not state.is_terminal():
        step += 1
        for player in range(state.num_players()):
            real = state.position
            twin = state.clone()
            world = Position(real.game.determinize(player, rng, 1), real.before, real.actions)
            twin._position = world
            resampled, resampled_twin = (
                resampler(game, step)(source, player) for source in (state, twin)
            )
            resampled_states = [
                result.position.game.state() for result in (resampled, resampled_twin)
            ]
            assert differences(*resampled_states) == []
            assert resampled.information_state_string(player) == state.information_state_string(
                player
            )
        state.apply_actions(random_actions(state.position.game, rng)[0])


def test_a_resampled_choice_of_another_player_is_any_legal_one() -> None:
    game = load_game("kododo", turn_based=True, **SMALL)
    state = deal(game, np.random.default_rng(0))
    chosen = [state.child(action) for action in state.legal_actions()]
    resampled = [[str(resampler(game, seed)(source, 1)) for seed in range(20)] for source in chosen]
    assert resampled[0] == resampled[1] == resampled[2]
    drawn = resampler(game, 0)
    put_down = Counter(drawn(chosen[0], 1).history()[-1] for _ in range(300))
    assert set(put_down) == set(state.legal_actions())
    assert min(put_down.values()) > 50


def test_a_resampler_of_another_game_or_before_the_deal_is_refused_in_a_line() -> None:
    for name in ("leduc_poker", "turn_based_simultaneous_game(game=goofspiel())"):
        with pytest.raises(ValueError, match=r"^expected a kododo_env game [^\n]+$"):
            resampler(pyspiel.load_game(name))
    for turn_based in (True, False):
        game = load_game("kododo", turn_based=turn_based, **TINY)
        with pytest.raises(ValueError, match="has not been dealt"):
            resampler(game)(game.new_initial_state(), 0)


def test_what_is_of_another_game_or_form_or_none_is_refused_in_a_line() -> None:
    """Regression: a state of Kododo was taken for one of KADO; others raised AttributeError."""
    at_once, in_turn = (
        load_game("kododo", turn_based=turn_based, **TINY) for turn_based in (False, True)
    )
    state = deal(at_once, np.random.default_rng(0))
    for game in (load_game("kado"), load_game("kododo", "score", **TINY), in_turn):
        with pytest.raises(
            ValueError, match=r"^expected a state of \{.*, got one of \{'game': 'kododo'"
        ):
            resampler(game)(state, 0)
    with pytest.raises(ValueError, match=r"returned by load_game.*'kado'"):
        resampler("kado")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"seed must be .*, not 'x'"):
        resampler(at_once, "x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"expected a policy with action_probabilities .*'x'"):
        SpielAgent("x")


# --- OpenSpiel's algorithms ---------------------------------------------------------------


@pytest.fixture(scope="module")
def solved() -> Any:
    """The tiny game's policy by CFR+, and its game."""
    game = load_game("kododo", turn_based=True, **TINY)
    solver = cfr.CFRPlusSolver(game)
    for _ in range(40):
        solver.evaluate_and_update_policy()
    return game, solver.average_policy()


def test_the_tiny_game_is_solved(solved: Any) -> None:
    game, policy = solved
    assert len(policy.state_lookup) == 12
    uniform = policies.UniformRandomPolicy(game)
    assert exploitability.nash_conv(game, uniform) == pytest.approx(1 / 6)
    assert exploitability.exploitability(game, uniform) == pytest.approx(1 / 12)
    assert pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game)) == pytest.approx(1 / 6)
    assert exploitability.nash_conv(game, policy) < 0.001
    small, larger = (
        exact(GameTree(kododo_v0.batch_game(1, **rules)), UniformAgent()).nash_conv
        for rules in (SMALL, TWO_TURNS)
    )
    game = load_game("kododo", turn_based=True, **TWO_TURNS)
    assert pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game)) == pytest.approx(larger)
    assert small == pytest.approx(0.3179, abs=1e-4)


@pytest.mark.parametrize(
    ("solver", "rounds", "limit"),
    [
        (pyspiel.CFRSolver, 40, 0.02),
        (pyspiel.CFRPlusSolver, 40, 0.02),
        (pyspiel.CFRBRSolver, 40, 0.02),
        (pyspiel.ExternalSamplingMCCFRSolver, 1000, 0.1),
        (pyspiel.OutcomeSamplingMCCFRSolver, 1000, 0.1),
        (external_sampling_mccfr.ExternalSamplingSolver, 1000, 0.1),
        (outcome_sampling_mccfr.OutcomeSamplingSolver, 1000, 0.1),
    ],
)
def test_other_solvers_improve_on_chance(solver: Any, rounds: int, limit: float) -> None:
    np.random.seed(0)  # noqa: NPY002 - those in Python use numpy's global generator
    game = load_game("kododo", turn_based=True, **TINY)
    solving = solver(game)
    improve = getattr(solving, "evaluate_and_update_policy", None)
    improve = improve or getattr(solving, "run_iteration", None) or solving.iteration
    for _ in range(rounds):
        improve()
    measured = pyspiel if solver.__module__.startswith("pyspiel") else exploitability
    assert measured.nash_conv(game, solving.average_policy()) < limit


@pytest.mark.parametrize("agent", [UniformAgent(), Hashed()])
@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("kododo", DRAWS),
        ("kododo", THREE_PLAYERS),
        ("kododo", {**TINY, "copies": (2, 1), "removed_cards": 2}),
        ("combi_combo", FEWER_CARDS),
    ],
)
def test_our_exact_best_response_is_openspiels(
    name: str, rules: dict[str, Any], agent: Any
) -> None:
    """On the exported Gambit game; the second agent plays differently in each observation."""
    tree = GameTree(registry.batch_game(name, 1, 0, **rules))
    game = pyspiel.load_efg_game(efg(tree))
    chosen = [strategy(tree, agent, player) for player in range(tree.num_players)]

    def chances(state: Any) -> dict[int, float]:
        step, row_index = map(int, re.findall(r"(\d+):(\d+)$", state.information_state_string())[0])
        row = chosen[state.current_player()][step][row_index]
        return {a: float(row[int(state.action_to_string(a))]) for a in state.legal_actions()}

    assert game.get_type().utility == pyspiel.GameType.Utility.CONSTANT_SUM
    policy = policies.tabular_policy_from_callable(game, chances)
    nash_conv = exact(tree, agent).nash_conv
    assert nash_conv == pytest.approx(exploitability.nash_conv(game, policy))
    assert nash_conv > 0.05


# --- OpenSpiel's bots as agents here ------------------------------------------------------


class Recorder(policies.Policy):
    """Plays the last legal action, and stores the information states of its requests."""

    def __init__(self) -> None:
        self.requests: list[tuple[int, str]] = []

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        assert state.current_player() in (player_id, pyspiel.PlayerId.SIMULTANEOUS)
        assert state.get_game().new_initial_state().is_chance_node()
        self.requests.append((player_id, state.information_state_string(player_id)))
        return {state.legal_actions(player_id)[-1]: 1.0}


@pytest.mark.parametrize("turn_based", [True, False])
@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("kododo", SMALL), ("kododo", DRAWS), ("kododo", {"num_players": 3}), ("combi_combo", {}),
    ],
)  # fmt: skip
def test_an_agent_is_asked_in_openspiels_information_states(
    name: str, rules: dict[str, Any], turn_based: bool
) -> None:
    """With the same cards and choices, seat by seat; twice, since a log ends with its game."""
    batch = registry.batch_game(name, 2, 0, **rules)
    game = load_game(name, turn_based=turn_based, **rules)
    recorder = Recorder()
    agent = SpielAgent(recorder, turn_based)
    for start in (0, 7):
        decks = batch.sample_decks(2, np.random.default_rng(start))
        recorder.requests = []
        play([agent] * batch.num_players, batch, decks, np.random.default_rng(0))
        expected = [request for deck in decks for request in strings(game, batch, deck, turn_based)]
        assert sorted(recorder.requests) == sorted(expected)
        assert len(set(expected)) > batch.num_players


def strings(game: Any, batch: BatchGame, deck: Any, turn_based: bool) -> Iterator[tuple[int, str]]:
    """Return the information states of a game with a deck in which all play their last action."""
    own_game = SpielGame(pyspiel.load_game(str(game)).get_parameters()) if not turn_based else None
    single = batch.fresh(1, 0)
    single.reset(decks=deck[None])
    inner = own_game or SpielGame(game.get_parameters()["game"])
    inner.root = Position(single)
    state = (inner if own_game else pyspiel.convert_to_turn_based(inner)).new_initial_state()
    while not state.is_terminal():
        if turn_based:
            player = state.current_player()
            yield player, state.information_state_string(player)
            state.apply_action(state.legal_actions()[-1])
        else:
            for player in range(state.num_players()):
                yield player, state.information_state_string(player)
            state.apply_actions([state.legal_actions(p)[-1] for p in range(state.num_players())])


@pytest.mark.parametrize("in_cpp", [False, True])
def test_a_solved_game_is_played_in_the_arena(solved: Any, in_cpp: bool) -> None:
    """Its share against random players is the one that OpenSpiel computes."""
    game, policy = solved
    against = policies.UniformRandomPolicy(game)
    root = game.new_initial_state()
    seats = ([policy, against], [against, policy])
    gain = sum(policy_value(root, lineup)[seat] for seat, lineup in enumerate(seats)) / 2
    if in_cpp:
        policy = pyspiel.TabularPolicy({
            text: [(action, chances[action]) for action in np.flatnonzero(chances)]
            for text, chances in ((key, policy.policy_for_key(key)) for key in policy.state_lookup)
        })  # fmt: skip
    result = Match(SpielAgent(policy), "random", "kododo", 2, 3000, rules=without(TINY)).play()
    assert result.share.low <= 0.5 + gain <= result.share.high
    assert gain > 0


def without(rules: dict[str, Any]) -> dict[str, Any]:
    """Return rules without the number of players, which a match sets itself."""
    return {name: value for name, value in rules.items() if name != "num_players"}


@pytest.mark.parametrize("name", ["kododo", "combi_combo", "kado"])
def test_a_bot_plays_any_game(name: str) -> None:
    """Even if players skip steps, since it needs no information state."""
    players = []

    def make_bot(player: int) -> Any:
        players.append(player)
        return UniformRandomBot(player, np.random.RandomState(player))

    agent = SpielAgent(make_bot, name="uniform")
    batch = registry.batch_game(name, 2, 0)
    agents = [agent, *[RandomAgent()] * (batch.num_players - 2), agent]
    decks = batch.sample_decks(2, np.random.default_rng(0))
    shares = play(agents, batch, decks, np.random.default_rng(0)).shares
    assert shares.sum(axis=1) == pytest.approx(1)
    assert players == [0, batch.num_players - 1]


def test_a_bot_that_searches_plays_better_than_chance() -> None:
    """It searches the worlds that the agent samples, copying states and playing them to the end."""
    game = load_game("kododo", turn_based=True, **SMALL)

    def make_bot(player: int) -> Any:
        rng = np.random.RandomState(player)
        return mcts.MCTSBot(game, 1.0, 30, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)

    result = Match(SpielAgent(make_bot), "random", "kododo", 2, 200, rules=without(SMALL)).play()
    assert result.share.low > 0.5


class Even:
    """A policy that gives each legal action a weight of 2, and records the numbers of players."""

    def __init__(self) -> None:
        self.players: set[int] = set()

    def action_probabilities(self, state: Any, player_id: int) -> dict[int, float]:
        self.players.add(state.num_players())
        return dict.fromkeys(state.legal_actions(player_id), 2.0)


def test_one_agent_plays_games_of_other_rules_and_by_weights_of_any_sum() -> None:
    even = Even()
    rng = np.random.default_rng(0)
    agent = SpielAgent(even)
    assert agent.name == "open_spiel"
    for rules in (SMALL, THREE_PLAYERS, SMALL):
        batch = kododo_v0.batch_game(20, **rules, seed=0)
        chosen = agent.act(batch.view(0), rng)
        assert batch.legal_action_mask()[np.arange(20), 0, chosen].all()
        assert len({*chosen.tolist()}) > 1
    assert even.players == {2, 3}


def test_without_all_that_was_seen_there_is_no_information_state() -> None:
    batch = registry.batch_game("kado", 1, 0)
    agents = [SpielAgent(Recorder()), RandomAgent(), RandomAgent()]
    decks = batch.sample_decks(1, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"player 0 did not choose .*no information state"):
        play(agents, batch, decks, np.random.default_rng(0))


def test_an_agent_that_is_asked_twice_in_a_step_keeps_its_log() -> None:
    """Regression: after another player's action was rejected, all later steps failed."""
    batch = kododo_v0.batch_game(3, **MIXED, seed=0)
    recorder = Recorder()
    rng = np.random.default_rng(0)
    agent = SpielAgent(recorder)
    while not batch.terminated.all():
        actions = batch.legal_action_mask().argmax(axis=2)
        if batch.deciding()[:, 1].any():
            first = len(recorder.requests)
            agent.act(batch.view(1), rng)
            second = len(recorder.requests)
            actions[:, 1] = agent.act(batch.view(1), rng)
            assert recorder.requests[first:second] == recorder.requests[second:]
        batch.step(actions)
    assert second > 3


def test_a_policy_of_other_rules_is_refused_in_a_line(solved: Any) -> None:
    batch = kododo_v0.batch_game(1, **SMALL, seed=0)
    for policy in (solved[1], pyspiel.TabularPolicy({"a state": [(0, 1.0)]})):
        for turn_based in (True, False):
            agent = SpielAgent(policy, turn_based, name="mine")
            with pytest.raises(
                ValueError, match=r"^mine does not know this information state; .*rules"
            ):
                agent.act(batch.view(0), np.random.default_rng(0))


def test_a_fourth_game_is_a_game_there_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        registry.ENVIRONMENT_MODULES, "high_card", "tests.toy_game.high_card.high_card_v0"
    )
    for turn_based in (True, False):
        game = load_game("high_card", turn_based=turn_based, num_players=2)
        pyspiel.random_sim_test(game, 1, True, False)


def test_an_observer_tells_what_a_player_sees() -> None:
    game = load_game("kododo", **SMALL)
    observer = game.make_py_observer()
    state = deal(game, np.random.default_rng(0))
    observer.set_from(state, 1)
    assert observer.tensor.any()
    assert list(observer.dict) == ["observation"]
    lines = observer.string_from(state, 1).splitlines()
    assert {line.split()[0] for line in lines} >= {"player", "hand", "seen", "view.hand", "legal"}
    observer.set_from(game.new_initial_state(), 1)
    assert not observer.tensor.any()


def test_states_are_pickled_whole() -> None:
    state = deal(load_game("kododo", **SMALL), np.random.default_rng(0))
    state.apply_actions([0, 1])
    restored = pickle.loads(pickle.dumps(state))
    assert str(restored) == str(state)
    assert restored.information_state_string(0) == state.information_state_string(0)
    assert from_text("{}") == {}
