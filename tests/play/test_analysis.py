"""Analysis of a finished game: planted mistakes are found, and bad luck is not a mistake."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kododo_env import load, registry
from kododo_env.agent_registry import make_agent
from kododo_env.core.agent import Agent, FirstAgent, LastAgent, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View
from kododo_env.records import Record, parse_record, record_games
from kododo_env.review.analysis import WORLDS_FACTOR, Analysis, analyse
from kododo_env.review.best_agent import best_agent
from kododo_env.search.search import SearchAgent
from tests.command_line import kododo
from tests.game_tables import GAMES

STEP = 9
SEAT = 1
BLUNDER = 4


def text_of(game: BatchGame, agent: Agent, blunder: bool = False) -> str:
    """Return the record of a game among copies of an agent, optionally with a blunder."""
    rng = np.random.default_rng(0)

    def choose(batch: BatchGame) -> npt.NDArray[np.int64]:
        chosen = joint_action([agent] * batch.num_players, batch, rng)
        if blunder and batch.steps_played + 1 == STEP:
            chosen[0, SEAT] = BLUNDER
        return chosen

    return record_games(game, choose)[0].text()


def record_of(game: BatchGame, agent: Agent) -> Record:
    return parse_record(text_of(game, agent))


@pytest.fixture(scope="module")
def blunder() -> str:
    game = registry.batch_game("kododo", 1, seed=3, num_players=2)
    return text_of(game, load("kododo-2p"), blunder=True)


@pytest.fixture
def blundered(blunder: str) -> Record:
    return parse_record(blunder)


@pytest.fixture(scope="module")
def analysis(blunder: str) -> Analysis:
    return analyse(parse_record(blunder), worlds=32)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_played_by_the_adviser_has_no_blame(name: str) -> None:
    game = registry.batch_game(name, 1, seed=3)
    adviser: Any = best_agent(game)
    adviser.temperature = 0  # plays its best hint
    analysis = analyse(record_of(game, adviser), seats=[0], worlds=16)
    assert (analysis.adviser, analysis.choices) == (f"{name}-{game.num_players}p", ())


def test_a_planted_blunder_is_found_first(blundered: Record, analysis: Analysis) -> None:
    (choice,) = analysis.choices
    assert (choice.step, choice.seat, choice.action) == (STEP, SEAT, BLUNDER)
    assert choice.words == blundered.lines[STEP - 1]["words"][SEAT]
    assert choice.advised_words != choice.words
    assert 0.05 < choice.low < choice.gain < choice.high
    assert "player_1" in choice.text
    alone = analyse(blundered, seats=[SEAT], worlds=32)
    assert alone.choices == analysis.choices
    assert np.array_equal(alone.probabilities, analysis.probabilities[:, [SEAT]])


def test_probabilities_are_shares_with_intervals_and_end_with_the_outcome(
    blundered: Record, analysis: Analysis
) -> None:
    probabilities = analysis.probabilities
    mean, low, high = np.moveaxis(probabilities, 2, 0)
    assert probabilities.shape == (len(blundered.lines) + 1, 2, 3)
    assert ((low >= 0) & (low <= mean) & (mean <= high) & (high <= 1)).all()
    assert ((high - low)[:-1] > 0).all()
    assert mean[-1].tolist() == low[-1].tolist() == blundered.lines[-1]["outcome"]
    assert abs(mean[0] - 0.5).max() < 0.2


def test_three_at_most_are_told_by_new_worlds_and_none_that_may_have_cost_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Later choices seem to cost more in the first worlds; new worlds disagree for some."""
    calls: list[tuple[int, int]] = []

    def gain(_: Any, view: View, played: Any, alternative: Any, worlds: int, rng: Any) -> Any:
        step = view.steps_played + 1
        calls.append((worlds, step))
        mean = 0.01 * step if worlds == 16 else {33: 0.1, 32: 0.1, 31: 0.2}[step]
        return np.array([mean]), np.array([0.06 if step == 32 else 0.04])

    monkeypatch.setattr(SearchAgent, "gain", gain)
    game = registry.batch_game("kododo", 1, seed=3, num_players=2)
    analysis = analyse(record_of(game, FirstAgent()), LastAgent(), [0], worlds=16)
    assert [choice.step for choice in analysis.choices] == [31, 33]
    assert calls[-3:] == [
        (16 * WORLDS_FACTOR, 33),
        (16 * WORLDS_FACTOR, 32),
        (16 * WORLDS_FACTOR, 31),
    ]


def test_a_search_that_advises_is_asked_and_left_as_it_is(blundered: Record) -> None:
    """Regression: the search kept the outcome model fitted to the analysis's few games."""
    adviser = make_agent("search:heuristic:2", "kododo", 2)
    assert isinstance(adviser, SearchAgent)
    first, second = (analyse(blundered, adviser, [0], worlds=16) for _ in range(2))
    assert np.array_equal(first.probabilities, second.probabilities)
    assert first.choices == second.choices
    game = registry.batch_game("kododo", 1, num_players=2)
    fresh = SearchAgent(adviser.policy).outcome_model(game).weights
    assert np.array_equal(adviser.outcome_model(game).weights, fresh)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seats": [2]}, "seats must be one or more of 0 to 1, not"),
        ({"worlds": 15}, "worlds must be 16 to 100000, not 15"),
        ({"seed": -1}, "seed must be at least 0, not -1"),
        ({"adviser": load("kododo-4p")}, "it is for 4 players, not 2"),
    ],
)
def test_bad_input_is_one_line(blundered: Record, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        analyse(blundered, **options)


@pytest.fixture
def command(
    blunder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> Callable[..., tuple[int, str, str]]:
    """Run ``kododo analyse`` on that game; returns exit status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    Path("game.jsonl").write_text(blunder)
    return partial(kododo, monkeypatch, capsys, "analyse", "game.jsonl", "--worlds", "32")


def test_the_command_tells_it_in_words_and_as_json_the_same_every_time(
    command: Any, blundered: Record, analysis: Analysis
) -> None:
    code, output, error = command("--json", "out.json")
    expected = json.loads(json.dumps(analysis.to_json()))
    assert (code, error) == (0, "")
    assert json.loads(Path("out.json").read_text()) == expected
    (choice,) = expected["choices"]
    assert "player_0: no choice with a cost" in output
    assert (
        f"player_1, step {STEP}: {choice['words']}\nkododo-2p: {choice['advised_words']}" in output
    )
    assert choice["text"] in output
    assert len(re.findall(r"^\d+ ", output, re.MULTILINE)) >= len(blundered.lines)
    assert (
        "player_0" not in command("--seat", "1", "--adviser", "heuristic")[1].partition("\n\n")[0]
    )


def test_the_results_do_not_take_the_place_of_the_record(
    blunder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    record = tmp_path / "game.json"
    record.write_text(blunder)
    options = ("--worlds", "32", "--json", str(record))
    code, output, error = kododo(monkeypatch, capsys, "analyse", str(record), *options)
    assert (code, output) == (2, "")
    assert "game.json is the record itself" in error
    assert record.read_text() == blunder


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--seat", "2"), "seats must be one or more of 0 to 1, not (2,)"),
        (("--adviser", "nobody"), "unknown agent 'nobody'"),
        (("--adviser", ""), "unknown agent ''"),  # regression: it meant the default adviser
        (("--adviser", "kododo-4p"), "it is for 4 players, not 2"),
        (("--json", "out.txt"), "out.txt must end with .json"),
    ],
)
def test_a_wrong_command_line_is_one_line(
    command: Any, args: tuple[str, ...], message: str
) -> None:
    code, out, error = command(*args)
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert message in error
    assert list(map(str, Path().iterdir())) == ["game.jsonl"]
