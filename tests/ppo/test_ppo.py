"""The learner plays with its network, computes returns, learns, and leaks no memory."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from agents.ppo import ppo
from agents.ppo.imitation import Imitation
from agents.ppo.ppo import advantages_of
from kododo_env import kododo_v0
from kododo_env.core import BatchGame
from kododo_env.core.agent import RandomAgent
from kododo_env.networks.network import masked
from tests.trainings import learner, numbers_of, self_play, update

# --- advantages ---------------------------------------------------------------------------


def slow_advantages(
    rewards: list[float], predictions: list[float], decided: list[bool], after: float,
    gamma: float, lam: float,
) -> list[float]:  # fmt: skip
    """Return the advantages of one slot, over its decisions only."""
    advantages = [0.0] * len(rewards)
    advantage = 0.0
    decisions = [t for t, is_decision in enumerate(decided) if is_decision]
    following = [*decisions[1:], len(rewards)]
    for t, next_t in reversed(list(zip(decisions, following, strict=True))):
        reward = sum(rewards[t:next_t])
        next_prediction = [*predictions, after][next_t]
        delta = reward + gamma * next_prediction - predictions[t]
        advantage = delta + gamma * lam * advantage
        advantages[t] = advantage
    return advantages


def test_advantages_run_over_a_slots_own_decisions() -> None:
    rng = np.random.default_rng(0)
    steps = 12
    slots = 30
    rewards, predictions = rng.normal(size=(2, steps, slots)).astype(np.float32)
    decided = rng.random((steps, slots)) < 0.5
    after = rng.normal(size=slots).astype(np.float32)
    advantages = advantages_of(rewards, decided, predictions * decided, after, 0.9, 0.7)
    for slot in range(slots):
        expected = slow_advantages(
            rewards[:, slot].tolist(), predictions[:, slot].tolist(),
            decided[:, slot].tolist(), float(after[slot]), 0.9, 0.7,
        )  # fmt: skip
        assert np.allclose(advantages[:, slot], expected, atol=1e-4)


def test_games_that_are_cut_expect_what_the_network_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ppo, "LONGEST_UPDATE", 5)
    game = kododo_v0.batch_game(4, num_players=2, seed=0)
    model = learner(game, gae_lambda=0.0)
    model.reward = lambda game: np.zeros((4, 2), np.float32)
    with torch.no_grad():
        model.network.value_head.weight.zero_()
        model.network.value_head.bias.fill_(3.0)
    assert not game.terminated.any()
    decisions, steps = model.play(game, [None, None], 0)
    assert steps == 5 * 8
    assert torch.allclose(decisions["returns"], torch.tensor(3.0))


# --- playing ------------------------------------------------------------------------------


def test_forced_moves_leave_no_decision() -> None:
    """In the long variant a finished game waits for the end of the deal with only the no-op."""
    game = kododo_v0.batch_game(8, num_players=5, variant="long", seed=5)
    decisions, steps = learner(game).play(game, [None] * 5, 5)
    assert game.terminated.all()
    assert (decisions["masks"].sum(dim=1) > 1).all()
    assert len(decisions["actions"]) <= steps < 8 * 5 * game.steps_played
    assert decisions["masks"].gather(1, decisions["actions"][:, None]).all()  # only what was legal


def test_the_kept_numbers_are_the_answers_of_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    game = kododo_v0.batch_game(16, seed=0)
    model = learner(game)
    model.learn(self_play(model, game), 1e-2, 0.0)  # so that no two actions are equally likely
    observed: list[np.ndarray] = []
    answers = model.answers

    def watched(observations: np.ndarray) -> Any:
        observed.append(observations)
        return answers(observations)

    monkeypatch.setattr(model, "answers", watched)
    decisions = self_play(model, game)
    with torch.no_grad():
        logits, predictions = model.network(torch.from_numpy(np.concatenate(observed)))
    log_probs = torch.log_softmax(masked(logits, decisions["masks"]), dim=1)
    chosen_log_probs = log_probs.gather(1, decisions["actions"][:, None]).squeeze(1)
    assert torch.allclose(chosen_log_probs, decisions["log_probs"], atol=1e-4)
    expected = decisions["returns"] - decisions["advantages"]
    assert torch.allclose(predictions, expected, atol=1e-4)


def test_a_learner_among_others_decides_for_its_own_seats_only() -> None:
    from kododo_env.agent_registry import make_agent

    game = kododo_v0.batch_game(16, num_players=3, seed=0)
    twin = game.clone()
    expert = make_agent("heuristic", "kododo")
    model = learner(game)
    decisions, steps = model.play(game, [expert, None, expert], 7)
    assert steps == len(decisions["actions"]) == 16 * game.steps_played
    torch.manual_seed(0)
    repeated = learner(twin).play(twin, [expert, None, expert], 7).decisions
    assert all(torch.equal(decisions[name], repeated[name]) for name in repeated)
    assert (game.scores == twin.scores).all()


def test_a_rollout_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kododo's self-play once grew by a megabyte with each update."""
    game = kododo_v0.batch_game(4, seed=0)
    model = learner(game)
    references: list[weakref.ref[np.ndarray]] = []
    observe: Callable[..., np.ndarray] = game.observe

    def record(out: np.ndarray) -> np.ndarray:
        references.append(weakref.ref(out))
        return observe(out)

    monkeypatch.setattr(game, "observe", record)
    gc.disable()
    try:
        for seed in range(3):
            update(model, game, seed)
        leftover = sum(reference() is not None for reference in references)
    finally:
        gc.enable()
    assert references
    assert leftover == 0


# --- learning -----------------------------------------------------------------------------


def test_the_decisions_that_matter_most_are_learned_from() -> None:
    game: BatchGame = kododo_v0.batch_game(8, seed=0)
    model = learner(game, learned_share=0.25)
    decisions = self_play(model, game)
    lessons = model.lessons(decisions)
    sizes = decisions["advantages"].abs().sort(descending=True).values
    learned_sizes = lessons["advantages"].abs().sort(descending=True).values
    assert len(learned_sizes) == -(-len(sizes) // 4)
    assert torch.equal(learned_sizes, sizes[: len(learned_sizes)])
    rows = torch.stack([decisions["advantages"], decisions["returns"]], dim=1).tolist()
    learned_rows = torch.stack([lessons["advantages"], lessons["returns"]], dim=1).tolist()
    assert all(row in rows for row in learned_rows)  # the same rows of all columns


def test_learning_beats_its_own_start() -> None:
    """A tiny game with one obvious lesson: take the card that scores."""
    rules: dict[str, Any] = {
        "num_players": 2, "num_colours": 2, "copies": (0, 6), "hand_size": 2, "plays": (1,),
        "removed_cards": 0, "limit_offset": 9, "kododo_offset": 9,
    }  # fmt: skip
    game: BatchGame = kododo_v0.batch_game(64, seed=0, **rules)
    model = learner(game, learning_rate=3e-3)
    scores = []
    for seed in range(25):
        update(model, game, seed)
        scores.append(float(game.scores.mean()))
    assert np.mean(scores[-3:]) > scores[0] + 0.4


def test_an_update_in_which_every_choice_is_forced_teaches_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once this raised an IndexError in the middle of a run."""
    game = kododo_v0.batch_game(4, num_players=2, seed=0)
    model = learner(game)
    before = numbers_of(model.network)
    monkeypatch.setattr(BatchGame, "deciding", lambda it: np.zeros((4, 2), np.bool_))
    played, steps = model.play(game, [None, None], 0)
    assert steps > 0
    assert model.learn(played, 1e-3, 0.0) == {}
    game.reset(0)
    imitation = Imitation(model, RandomAgent())
    decisions, _ = imitation.play(game, np.random.default_rng(0))
    assert imitation.learn(decisions, 1.0) == {}
    assert torch.equal(numbers_of(model.network), before)
