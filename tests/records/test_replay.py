"""Games are recorded and replayed exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.games.kado.text.cards import card_name
from kododo_env.records import Recorder, parse_record, read_record, record_games, replay
from kododo_env.records.frames import as_text
from kododo_env.rendering.languages import speaking
from tests.game_tables import EXTREMES, GAMES
from tests.helpers import assert_same_state, random_actions
from tests.records.games import DATE, edited, recorded


@pytest.mark.parametrize(("name", "players"), EXTREMES)
def test_a_game_is_replayed_to_the_bit(name: str, players: int) -> None:
    game = registry.batch_game(name, 1, seed=5, num_players=players)
    recorder = Recorder(game)
    rng = np.random.default_rng(6)
    positions = [game.clone()]
    while not game.terminated.all():
        actions = random_actions(game, rng)
        game.step(actions)
        recorder.step(actions[0])
        positions.append(game.clone())
    replayed_positions = list(replay(parse_record(recorder.text())))
    for original, replayed in zip(positions, replayed_positions, strict=True):
        replayed.rng = original.rng  # a record holds the cards and not the generator
        assert_same_state(original, replayed)


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        *((name, {}) for name in GAMES),
        ("kododo", {"variant": "long", "num_players": 3}),
        # Players lay all their cards at once: no one has a choice, but the steps are played.
        ("kododo", {"num_players": 2, "hand_size": 1, "plays": (1,), "removed_cards": 0}),
    ],
)
def test_games_of_a_batch_end_as_they_did(name: str, rules: dict[str, Any]) -> None:
    """In a batch, games wait for each other; a record has no such idle steps."""
    game = registry.batch_game(name, 12, seed=7, **rules)
    for index, recorder in enumerate(recorded(game)):
        record = parse_record(recorder.text())
        *_, last = replay(record)
        *earlier_lines, final = recorder.lines()
        assert last.scores[0].tolist() == game.scores[index].tolist()
        assert last.outcome()[0].tolist() == final["outcome"] == game.outcome()[index].tolist()
        assert not any("outcome" in line for line in earlier_lines)
        assert "plays" not in rules or last.steps_played == game.steps_played
        deals = game.deal_index[index] + 1 if "variant" in rules else 1
        assert len(record.header.decks) == deals
    assert "variant" not in rules or deals > 1


def test_some_games_of_a_batch(tmp_path: Path) -> None:
    game = registry.batch_game("combi_combo", 9, seed=1)
    chosen = recorded(game, games=[4, 2], players=["Ann", "Béa", "Cem", "李"])
    assert len(chosen) == 2
    chosen[0].write(tmp_path / "game.jsonl")
    record = read_record(tmp_path / "game.jsonl")
    *_, last = replay(record)
    assert record.players == ["Ann", "Béa", "Cem", "李"]
    assert last.scores[0].tolist() == game.scores[4].tolist()


def test_lines_can_be_read_by_a_person() -> None:
    game = registry.batch_game("kododo", 1, seed=3)
    recorder = Recorder(game, date=DATE)
    game.step([[5, 6, 10, 13]])
    recorder.step([5, 6, 10, 13])
    header, step = map(json.loads, recorder.text().splitlines())
    assert header["players"] == ["player_0", "player_1", "player_2", "player_3"]
    assert header["date"] == DATE
    assert len(step.pop("digest")) == 8
    assert step == {
        "step": 1,
        "actions": [5, 6, 10, 13],
        "words": [
            "lay blue 2 and blue 5",
            "lay blue 1 and yellow 1",
            "lay blue 6 and yellow 2",
            "lay yellow 3 and orange 6",
        ],
        "events": [
            {"key": "kododo.player_lays", "seats": [0], "cards": [1, 4], "rule": None},
            {"key": "kododo.player_lays", "seats": [1], "cards": [0, 12], "rule": None},
            {"key": "kododo.player_lays", "seats": [2], "cards": [5, 13], "rule": None},
            {"key": "kododo.player_lays", "seats": [3], "cards": [14, 23], "rule": None},
        ],
        "points": [0, 0, 0, 0],
        "scores": [0, 0, 0, 0],
    }


@pytest.mark.parametrize("game", GAMES)
def test_a_record_of_an_older_format_is_replayed(game: str) -> None:
    """Version 1 has no events, and words in the language of the table: German in KADO's record."""
    record = read_record(Path(__file__).parent / "version_1" / f"{game}.jsonl")
    assert record.header.format_version == 1
    *_, last = replay(record)
    assert last.terminated[0]
    assert last.scores[0].tolist() == record.lines[-1]["scores"]
    text = [*as_text(record)][-1]
    assert "the game is over: " in text
    wrong = edited(Path(record.source).read_text("utf-8"), 3, lambda line: line.update(points=[]))
    with pytest.raises(ValueError, match=r"^line 3: "):
        [*replay(parse_record(wrong))]


@pytest.mark.parametrize("game", GAMES)
def test_a_record_is_in_english_in_every_language(game: str) -> None:
    """A record that was written in German could not be replayed in English."""
    recorder = recorded(registry.batch_game(game, 1, seed=3), date=DATE)[0]
    with speaking("de"):
        text = recorder.text()
        assert [*replay(parse_record(text))]
    assert text == recorder.text()


def test_kado_in_words() -> None:
    """Dealer and owner know their cards: they are named, and so is the player who gets one."""
    game = registry.batch_game("kado", 40, seed=3)
    deck = game.decks[0].tolist()
    lines = [line for recorder in recorded(game) for line in recorder.lines()]
    words = {word for line in lines for word in line.get("words", ())}
    verbs = {word.split()[0] for word in words}
    assert verbs == {"keep", "give", "guess", "pass", "place", "nothing"}
    assert not any("the card" in word for word in words)
    card = card_name(game.rules, deck[0])
    assert lines[1]["words"][0] in (f"keep {card}", *(f"give {card} to player_{i}" for i in (1, 2)))
    for line in lines:
        for seat, words in enumerate(line.get("words", ())):
            if words.startswith("give"):
                assert words.endswith(f"player_{(seat + line['actions'][seat]) % 3}")


def test_a_recorder_that_missed_something_says_so() -> None:
    game = registry.batch_game("kododo", 1, seed=3)
    rng = np.random.default_rng(0)
    game.step(random_actions(game, rng))
    late = Recorder(game)
    deaf = Recorder(registry.batch_game("combi_combo", 1, seed=1))
    record_games(game, lambda batch: random_actions(batch, rng), games=[0])
    record_games(deaf._game, lambda batch: random_actions(batch, rng))
    for recorder in (late, deaf):
        recorder._record_state()
        with pytest.raises(ValueError, match="missed a step"):
            recorder.text()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"index": 3}, "index must be 0 to 1"),
        ({"players": ["Ann"]}, "4 names"),
        ({"players": "abcd"}, "4 names"),
        ({"players": [1, 2, 3, 4]}, "4 names"),
        ({"players": ["a", "b", "c", "\ud800"]}, "printable"),
        ({"players": ["a", "b", "c", "\x1b[31m"]}, "printable"),
        ({"players": ["a", "b", "c", ""]}, "1 to 200"),
        ({"date": "yesterday"}, "date.*ISO 8601"),
    ],
)
def test_settings_that_cannot_be_recorded(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Recorder(registry.batch_game("kododo", 2, seed=0), **settings)  # type: ignore[arg-type]
