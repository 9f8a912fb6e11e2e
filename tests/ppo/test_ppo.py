"""The learner: it plays as its network says, knows what was gained, learns, and leaves nothing."""

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
    rewards: list[float], values: list[float], decided: list[bool], after: float, gamma: float,
    lam: float,
) -> list[float]:  # fmt: skip
    """Advantages of one slot over its decisions only."""
    found, advantage = [0.0] * len(rewards), 0.0
    chosen = [t for t, here in enumerate(decided) if here]
    following = [*chosen[1:], len(rewards)]
    for t, then in reversed(list(zip(chosen, following, strict=True))):
        gained, next_value = sum(rewards[t:then]), [*values, after][then]
        advantage = gained + gamma * next_value - values[t] + gamma * lam * advantage
        found[t] = advantage
    return found


def test_advantages_run_over_a_slots_own_decisions() -> None:
    rng = np.random.default_rng(0)
    steps, slots = 12, 30
    rewards, values = rng.normal(size=(2, steps, slots)).astype(np.float32)
    decided = rng.random((steps, slots)) < 0.5
    after = rng.normal(size=slots).astype(np.float32)
    found = advantages_of(rewards, decided, values * decided, after, 0.9, 0.7)
    for slot in range(slots):
        expected = slow_advantages(
            rewards[:, slot].tolist(), values[:, slot].tolist(), decided[:, slot].tolist(),
            float(after[slot]), 0.9, 0.7,
        )  # fmt: skip
        assert np.allclose(found[:, slot], expected, atol=1e-4)


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
    model.learn(self_play(model, game), 1e-2, 0.0)  # no action is as likely as another
    seen: list[np.ndarray] = []
    answers = model.answers

    def watched(observations: np.ndarray) -> Any:
        seen.append(observations)
        return answers(observations)

    monkeypatch.setattr(model, "answers", watched)
    decisions = self_play(model, game)
    with torch.no_grad():
        logits, values = model.network(torch.from_numpy(np.concatenate(seen)))
    log_probs = torch.log_softmax(masked(logits, decisions["masks"]), dim=1)
    taken = log_probs.gather(1, decisions["actions"][:, None]).squeeze(1)
    assert torch.allclose(taken, decisions["log_probs"], atol=1e-4)
    expected = decisions["returns"] - decisions["advantages"]
    assert torch.allclose(values, expected, atol=1e-4)


def test_a_learner_among_others_decides_for_its_own_seats_only() -> None:
    from kododo_env.agent_registry import make_agent

    game = kododo_v0.batch_game(16, num_players=3, seed=0)
    twin, expert = game.clone(), make_agent("heuristic", "kododo")
    model = learner(game)
    decisions, steps = model.play(game, [expert, None, expert], 7)
    assert steps == len(decisions["actions"]) == 16 * game.steps_played
    torch.manual_seed(0)
    again = learner(twin).play(twin, [expert, None, expert], 7).decisions
    assert all(torch.equal(decisions[name], again[name]) for name in again)
    assert (game.scores == twin.scores).all()


def test_a_rollout_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kododo's self-play once grew by a megabyte with each update."""
    game = kododo_v0.batch_game(4, seed=0)
    model, seen = learner(game), []
    observe: Callable[..., np.ndarray] = game.observe

    def noted(out: np.ndarray) -> np.ndarray:
        seen.append(weakref.ref(out))
        return observe(out)

    monkeypatch.setattr(game, "observe", noted)
    gc.disable()
    try:
        for seed in range(3):
            update(model, game, seed)
        left = sum(reference() is not None for reference in seen)
    finally:
        gc.enable()
    assert seen
    assert left == 0


# --- learning -----------------------------------------------------------------------------


def test_the_decisions_that_matter_most_are_learned_from() -> None:
    game: BatchGame = kododo_v0.batch_game(8, seed=0)
    model = learner(game, learned_share=0.25)
    decisions = self_play(model, game)
    lessons = model.lessons(decisions)
    sizes = decisions["advantages"].abs().sort(descending=True).values
    found = lessons["advantages"].abs().sort(descending=True).values
    assert len(found) == -(-len(sizes) // 4)
    assert torch.equal(found, sizes[: len(found)])
    rows = torch.stack([decisions["advantages"], decisions["returns"]], dim=1).tolist()
    kept = torch.stack([lessons["advantages"], lessons["returns"]], dim=1).tolist()
    assert all(each in rows for each in kept)  # all columns were chosen alike


def test_explained_variance_is_that_of_all_returns_by_the_values_before_learning() -> None:
    game = kododo_v0.batch_game(16, seed=0)
    model = learner(game, learned_share=0.25)
    decisions = self_play(model, game)
    with torch.no_grad():
        values = model.asked(decisions)[1]
    unexplained = (decisions["returns"] - values).var() / decisions["returns"].var()
    found = model.learn(decisions, 1e-2, 0.0)["explained_variance"]
    assert found == pytest.approx(1 - unexplained.item(), abs=1e-4)


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
    """It ended in an IndexError, in the middle of a run."""
    game = kododo_v0.batch_game(4, num_players=2, seed=0)
    model = learner(game)
    before = numbers_of(model.network)
    monkeypatch.setattr(BatchGame, "deciding", lambda it: np.zeros((4, 2), np.bool_))
    played, steps = model.play(game, [None, None], 0)
    assert steps > 0
    assert model.learn(played, 1e-3, 0.0) == {}
    game.reset(0)
    imitation = Imitation(model, RandomAgent())
    shown, _ = imitation.play(game, np.random.default_rng(0))
    assert imitation.learn(shown, 1.0) == {}
    assert torch.equal(numbers_of(model.network), before)
