"""Invalid records are rejected, with the line and the reason."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kododo_env import registry
from kododo_env.records import parse_record, read_record, replay
from tests.game_tables import GAMES
from tests.helpers import nested
from tests.records.games import edited, recorded, resealed


def text_of(game: str) -> str:
    return recorded(registry.batch_game(game, 1, seed=2))[0].text()


def check(text: str) -> None:
    for _ in replay(parse_record(text)):
        pass


def refused(text: str, line: int, words: str) -> None:
    """Check that a record is refused for a line, in one line with these words."""
    with pytest.raises(ValueError, match=f"^line {line}: .*{re.escape(words)}") as caught:
        check(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("game", GAMES)
def test_every_number_and_word_of_a_line_is_checked(game: str) -> None:
    """Of every fourth line back from the last: all kinds of actions are among them."""
    text = text_of(game)
    check(text)
    for number, line in [*enumerate(text.splitlines(), 1)][:0:-4]:
        for name, field in json.loads(line).items():
            for place in range(len(field)) if isinstance(field, list) else ():

                def change(content: dict[str, Any], name: str = name, at: int = place) -> None:
                    if name == "events":
                        content[name][at]["rule"] = "none"
                    else:
                        content[name][at] += "." if name == "words" else 1

                words = "" if name == "actions" else f"{name} must be "
                refused(edited(text, number, change), number, words)


@pytest.mark.parametrize("game", GAMES)
def test_the_core_finds_what_the_digests_hide(game: str) -> None:
    text = text_of(game)
    forged = resealed(edited(text, 3, lambda s: s["points"].__setitem__(0, 7)))
    refused(forged, 3, "points must be")


@pytest.mark.parametrize("game", GAMES)
def test_cut_short(game: str) -> None:
    lines = text_of(game).splitlines(keepends=True)
    for number in range(1, len(lines)):
        refused("".join(lines[:number]), number, "truncated")
        torn = "".join(lines[:number]) + lines[number][:-2]
        refused(torn, number + 1, "not JSON")


def test_lines_left_out_twice_or_after_the_end() -> None:
    lines = text_of("kododo").splitlines(keepends=True)
    refused("".join(lines[:5] + lines[6:]), 6, "step must be 5")
    refused("".join(lines[:5] + lines[4:]), 6, "step must be 5")
    refused("".join([*lines, lines[-1]]), 20, "over before")
    refused("".join([*lines, "\n"]), 20, "not JSON")
    refused("".join(lines[1:]), 1, "not a record of a game")
    refused("", 1, "empty")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda h: h["players"].reverse(), "modified"),
        (lambda h: h.update(date="2020-01-01"), "modified"),
        (lambda h: h.update(format_version=3), "format_version"),
        (lambda h: h.update(format="chess"), "not a record of a game"),
        (lambda h: h.update(game_version=1), "kododo version 0"),
        (lambda h: h.update(game="chess"), "unknown game 'chess'"),
        (lambda h: h.update(game=3), "game must be a string"),
        (lambda h: h.update(players=5), "players must be a list"),
        (lambda h: h["rules"].update({100_000 * "x": 1}), "unknown rule 'xxx"),
        (lambda h: h["rules"].pop("copies"), "rules must have all fields"),
        (lambda h: h["rules"].update(target=1), "unknown rule 'target'"),
        (lambda h: h["rules"].pop("num_players"), "num_players must be"),
        (lambda h: h["rules"].update(hand_size=True), "hand_size must be"),
        (lambda h: h["decks"][0].pop(), "decks of kododo"),
        (lambda h: h["decks"][0].__setitem__(0, 99), "deck 0"),
        (lambda h: h.update(decks=[]), "decks must be"),
        (lambda h: h.update(decks="x"), "decks must be"),
        (lambda h: h.update(decks=[[1], [2, 3]]), "decks must be"),
        (lambda h: h.update(decks=[[[1]]]), "decks must be"),
        (lambda h: h.update(date=3), "date must be"),
        (lambda h: h.update(players=["Ann"]), "players must be 4 names"),
        (lambda h: h.update(note="x"), "unknown field 'note'"),
        (lambda h: h.pop("date"), "missing field 'date'"),
    ],
)
def test_the_header(change: Callable[[dict[str, Any]], Any], words: str) -> None:
    """The rules reject most changes that the digests hide."""
    changed = edited(text_of("kododo"), 1, change)
    refused(changed if words == "modified" else resealed(changed), 1, words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: s.pop("actions"), "missing field 'actions'"),
        (lambda s: s.pop("step"), "step must be"),
        (lambda s: s.pop("digest"), "missing field 'digest'"),
        (lambda s: s.update(digest="0"), "wrong digest '0'"),
        (lambda s: s.pop("words"), "missing field 'words'"),
        (lambda s: s.update(note=1), "unknown field 'note'"),
        (lambda s: s.update(step=True), "step must be"),
        (lambda s: s.update(points=[False] * 4), "points must be [0, 0, 0, 0]"),
        (lambda s: s.update(scores=[0.0] * 4), "scores must be [0, 0, 0, 0]"),
        (lambda s: s.update(outcome=[1.0, 0.0, 0.0, 0.0]), "unknown field 'outcome'"),
        (lambda s: s.update(actions=[5, 6]), "(1, 4)"),
        (lambda s: s.update(actions=[5, 6, 7, 99]), "illegal action in kododo"),
        (lambda s: s.update(actions=[5, 6, 7, -1]), "illegal action in kododo"),
        (lambda s: s.update(actions=[0, 0, 0, 0]), "illegal action in kododo"),
        (lambda s: s.update(actions=[5.0, 6, 7, 8]), "actions must be"),
        (lambda s: s.update(actions={}), "actions must be"),
        (lambda s: s.update(actions=None), "actions must be"),
    ],
)
def test_a_step(change: Callable[[dict[str, Any]], Any], words: str) -> None:
    refused(edited(text_of("kododo"), 2, change), 2, words)


@pytest.mark.parametrize(
    ("line", "name"), [(1, "decks"), (1, "rules"), (1, "date"), (2, "actions")]
)
def test_lists_in_lists_of_any_depth(line: int, name: str) -> None:
    """Lists of depth 33 to 64 once ended in a traceback."""
    text = text_of("kododo")
    for depth in (2, 16, 17, 31, 32, 33, 34, 63, 64, 65, 66, 300):
        field = {"copies": nested(depth)} if name == "rules" else nested(depth)
        changed = resealed(
            edited(text, line, lambda content, field=field: content.update({name: field}))
        )
        refused(changed, line, "")


def test_decks_that_were_not_all_dealt() -> None:
    game = registry.batch_game("kododo", 1, seed=8, variant="long", num_players=3)
    text = recorded(game)[0].text()
    too_many = resealed(edited(text, 1, lambda h: h["decks"].append(h["decks"][0])))
    deals = int(game.deal_index[0]) + 1
    refused(too_many, 1, f"expected {deals} decks, got {deals + 1}")
    too_few = resealed(edited(text, 1, lambda h: h["decks"].pop()))
    with pytest.raises(ValueError, match=r"^line \d+: .*a deck for each deal"):
        check(too_few)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe", "UTF-8"),
        (b"[1, 2]\n", "line 1: expected a JSON object"),
        (b'{"a": 1, "a": 2}\n', "line 1: duplicate name 'a'"),
        (b'{"a": ' + b"[" * 100_000, "line 1: "),
        (b'{"a": ' + b"1" * 5_000 + b"}\n", "line 1: "),
        (
            b'{"format": "kododo-env record", "format_version": true}\n',
            "line 1: .*format_version",
        ),
    ],
)
def test_files_that_are_no_records(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=words) as caught:
        list(replay(read_record(path)))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there are no devices by name")
@pytest.mark.parametrize("name", ["/dev/zero", "a-pipe"])
def test_only_ordinary_files_are_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading /dev/zero never ended, and reading a pipe waited for a writer."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("a-pipe")
    with pytest.raises(ValueError, match=f"cannot read record {name}: "):
        read_record(name)
    with open("long.jsonl", "wb") as sparse:
        sparse.truncate(1 << 40)
    with pytest.raises(ValueError, match=r"long.jsonl: .*1,099,511,627,776 bytes"):
        read_record("long.jsonl")
