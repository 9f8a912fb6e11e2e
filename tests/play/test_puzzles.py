"""Puzzles: the best choice is best in new worlds too, and files are checked."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from docs.static_page.puzzles import GRADES, PUZZLES, _page_entry, ask_again, puzzles_json
from kododo_env import load, make_agent, registry
from kododo_env.agent_registry import baselines
from kododo_env.core.agent import FirstAgent, LastAgent
from kododo_env.records.lines import sealed
from kododo_env.registry import words_of
from kododo_env.rendering.languages import say
from kododo_env.review.puzzles import (
    HIT_SHARE,
    Puzzle,
    ask_bots,
    find_puzzles,
    read_puzzles,
    write_puzzles,
)
from kododo_env.search.search import SearchAgent
from tests.command_line import kododo
from tests.game_tables import GAMES
from tests.play.test_analysis import record_of, text_of

BOTS = (FirstAgent(), LastAgent(), make_agent("greedy", "kododo"))


@pytest.fixture(scope="module")
def puzzle() -> Puzzle:
    game = registry.batch_game("kododo", 1, seed=3, num_players=2)
    policy = load("kododo-2p")
    return next(find_puzzles(record_of(game, policy), SearchAgent(policy), BOTS, 32, 0))


def test_the_best_choice_is_better_than_every_other_one(puzzle: Puzzle) -> None:
    view = puzzle.position().view(puzzle.seat)
    actions = np.flatnonzero(view.legal_action_mask[0])
    words = {
        int(action): words_of(view).describe_choice(int(action), view.player) for action in actions
    }
    actions = [action for action in words if words[action] != words[puzzle.best]]
    batch_view = puzzle.position().take(np.zeros(len(actions), np.int64)).view(puzzle.seat)
    search = SearchAgent(load("kododo-2p"))
    best = np.full(len(actions), puzzle.best)
    gain, _ = search.gain(batch_view, best, np.array(actions), 64, np.random.default_rng(1))
    assert gain.max() < 0
    assert 0 < puzzle.low <= puzzle.gain <= puzzle.high
    first = min(words)
    last = max(words)
    assert puzzle.bots["first"] == (words[first] == words[puzzle.best])
    assert puzzle.bots["last"] == (words[last] == words[puzzle.best])
    assert puzzle.missed_by == [name for name in puzzle.bots if puzzle.bots[name] < HIT_SHARE]


def test_themes_are_those_of_the_reasons_that_tell_the_best_choice_from_others() -> None:
    for puzzle in read_puzzles(PUZZLES):
        reasons = puzzle.reasons()
        words = words_of(puzzle.position().view(puzzle.seat))
        assert puzzle.themes() == list(
            dict.fromkeys(reason["theme"] for reason in reasons[puzzle.best])
        )
        for action, remaining in reasons.items():
            every_reason = words.reasons(action, puzzle.seat)
            assert [reason for reason in every_reason if reason in remaining] == remaining
            if remaining != every_reason:
                removed = [reason for reason in every_reason if reason not in remaining]
                assert all(
                    reason in words.reasons(rival, puzzle.seat)
                    for rival in reasons
                    for reason in removed
                )


def test_a_file_is_checked_when_it_is_read(puzzle: Puzzle, tmp_path: Path) -> None:
    file = tmp_path / "puzzles.jsonl"
    write_puzzles(file, [puzzle])
    (copy,) = read_puzzles(file)
    assert copy.to_json() == puzzle.to_json()
    line = puzzle.to_json()
    for change, why in (
        ({"best": 999}, "best must be one of the choices"), ({"seat": 7}, "seat must be"),
        ({"low": -1.0}, "expected 0 < low"), ({"played": [[99, 99]]}, "illegal"),
        ({"header": {}}, "not a record"), ({"bots": {"x": 2}}, "x must be"),
        ({"played": None}, "played a list"), ({"more": 1}, "'more'"), ({"format": 1}, "a puzzle"),
    ):  # fmt: skip
        file.write_text(json.dumps(sealed(line | change)) + "\n")
        with pytest.raises(ValueError, match=rf"puzzles.jsonl, line 1: .*{why}"):
            read_puzzles(file)
    for text in ("{", "[" * 5000, json.dumps(line | {"low": 0.01})):
        file.write_text(text)
        with pytest.raises(ValueError, match=r"puzzles.jsonl, line 1: "):
            read_puzzles(file)


def test_bots_are_asked_again_by_the_same_probability(puzzle: Puzzle, tmp_path: Path) -> None:
    """Regression: a bot's choices depended on the bots before it."""
    bots = [make_agent(name, "kododo") for name in ("random", "greedy", "heuristic")]
    shares = ask_bots(puzzle, bots, 1).bots
    reversed_shares = ask_bots(puzzle, bots[::-1], 1).bots
    assert shares == reversed_shares
    assert ask_bots(puzzle, BOTS, 0).bots == puzzle.bots
    assert len({ask_bots(puzzle, bots[:1], seed).bots["random"] for seed in range(5)}) > 1
    file = tmp_path / "puzzles.jsonl"
    wrong = [
        replace(page_puzzle, bots={"random": 0.0}) for page_puzzle in read_puzzles(PUZZLES)[-2:]
    ]
    write_puzzles(file, wrong)
    ask_again(file)
    puzzles = read_puzzles(file)
    assert all(
        {"greedy", "level-1", "level-4"} < page_puzzle.bots.keys() for page_puzzle in puzzles
    )
    assert [len(page_puzzle.missed_by) for page_puzzle in puzzles] == sorted(
        len(page_puzzle.missed_by) for page_puzzle in puzzles
    )
    assert {_page_entry(page_puzzle)["id"] for page_puzzle in puzzles} == {
        _page_entry(page_puzzle)["id"] for page_puzzle in wrong
    }


def test_a_bot_whose_file_has_changed_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    bot = tmp_path / "bot.py"
    game = registry.batch_game("kododo", 1, seed=3, num_players=2)
    (tmp_path / "game.jsonl").write_text(text_of(game, load("kododo-2p")))
    names = ("--bots", f"{bot}:act", "first", "last")
    shares = []
    for code in ("mask.argmax(1)", "mask.shape[1] - 1 - mask[:, ::-1].argmax(1)"):
        bot.write_text(f"def act(view, rng): mask = view.legal_action_mask; return {code}")
        options = (
            "--out",
            str(out),
            "--worlds",
            "32",
            "--per-game",
            "4",
            "--max-puzzles",
            "4",
            *names,
        )
        assert kododo(monkeypatch, capsys, "puzzles", str(tmp_path), *options)[0] == 0
        shares.append([list(puzzle.bots.values()) for puzzle in read_puzzles(out)])
    outcome = kododo(monkeypatch, capsys, "puzzles", str(tmp_path), *options, f"{bot}:act")
    assert (outcome[0], "bots must have different names" in outcome[2]) == (2, True)
    before, after = shares
    assert all(bot_share == first for bot_share, first, _ in before)
    assert all(bot_share == last for bot_share, _, last in after)
    assert any(first != last for _, first, last in before)


def test_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "puzzles.jsonl"
    game = registry.batch_game("kododo", 1, seed=3, num_players=2)
    text = text_of(game, load("kododo-2p"))
    for name in ("game", "other"):  # the same deal with the same actions
        (tmp_path / f"{name}.jsonl").write_text(text.replace("kododo-2p", name))
    options = ("--out", str(out), "--worlds", "32", "--per-game", "1", "--bots", "first", "greedy")
    status, output, error = kododo(monkeypatch, capsys, "puzzles", str(tmp_path), *options)
    assert (status, error) == (0, "")
    first_puzzle, second_puzzle = read_puzzles(out)
    assert (first_puzzle.seat, first_puzzle.played) != (second_puzzle.seat, second_puzzle.played)
    assert f"{len(first_puzzle.missed_by)} of 2" in output
    # A file of puzzles is not a record, whatever its name.
    monkeypatch.chdir(tmp_path)
    options = ("--out", out.name, *options[2:])
    assert kododo(monkeypatch, capsys, "puzzles", str(tmp_path), *options) == (0, output, "")


def test_under_rules_without_a_policy_the_scripted_players_are_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Regression: the policy's levels were asked too, although they could not play."""
    game = registry.batch_game("kododo", 1, seed=3, num_players=2, limit_offset=4)
    (tmp_path / "game.jsonl").write_text(text_of(game, make_agent("heuristic", "kododo")))
    options = ("--out", str(tmp_path / "puzzles.jsonl"), "--worlds", "32", "--max-puzzles", "1")
    assert kododo(monkeypatch, capsys, "puzzles", str(tmp_path), *options)[::2] == (0, "")
    (puzzle,) = read_puzzles(tmp_path / "puzzles.jsonl")
    assert [*puzzle.bots] == [*baselines("kododo")]


def test_a_policy_without_a_name_is_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Regression: an empty name meant the default policy."""
    game = registry.batch_game("kododo", 1, seed=3, num_players=2)
    (tmp_path / "game.jsonl").write_text(text_of(game, make_agent("heuristic", "kododo")))
    status, _, error = kododo(monkeypatch, capsys, "puzzles", str(tmp_path), "--policy", "")
    assert status == 2
    assert "unknown agent ''" in error


def test_puzzles_do_not_take_the_place_of_a_record(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "one.jsonl"
    other_path = tmp_path / "other.jsonl"
    text = text_of(registry.batch_game("kododo", 1, seed=3, num_players=2), load("kododo-2p"))
    path.write_text(text)
    other_path.write_text(text)
    options = ("--out", str(path), "--worlds", "32", "--max-puzzles", "1", "--bots", "first")
    status, output, error = kododo(monkeypatch, capsys, "puzzles", str(tmp_path), *options)
    assert (status, output) == (2, "")
    assert "one.jsonl, a record of a game" in error
    assert path.read_text() == text


def test_the_puzzles_of_the_page() -> None:
    """Equal cards are one choice."""
    puzzles = json.loads(puzzles_json())
    assert len(puzzles) == len(read_puzzles(PUZZLES)) > 0
    for puzzle in puzzles:
        choices = [action["words"] for action in puzzle["actions"]]
        assert puzzle["best"] in choices
        assert len(set(choices)) == len(choices) > 1
        assert puzzle["grade"] in map(say, GRADES)
        assert puzzle["themes"]
        assert all(action["reasons"] for action in puzzle["actions"])
        assert "player_" not in json.dumps(puzzle)
    assert len({puzzle["id"] for puzzle in puzzles}) == len(puzzles)
    games = Counter(puzzle.header.game for puzzle in read_puzzles(PUZZLES))
    assert min(games.get(game, 0) for game in GAMES) >= 8
