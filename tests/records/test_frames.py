"""A record as text and as an animation, also from the command line."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from kododo_env import make_agent, registry
from kododo_env.commands import console
from kododo_env.records import parse_record, read_record, replay
from kododo_env.records.frames import as_text, frames, height_of, names_of
from kododo_env.registry import words_of
from kododo_env.rendering.animation import LAST_PICTURE, animated_gif, animated_svg
from kododo_env.rendering.svg import HEIGHT, WIDTH
from tests.game_tables import GAMES
from tests.records.games import DATE, edited, recorded

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=GAMES)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    game = registry.batch_game(request.param, 1, seed=4)
    names = ["Ann", *(f"<bot {seat}>" for seat in range(1, game.num_players))]
    file = tmp_path / "game.jsonl"
    recorded(game, players=names)[0].write(file)
    return file


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """``kododo replay``: exit status, stdout and stderr."""

    def run(*args: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["kododo", "replay", *map(str, args)])
        with pytest.raises(SystemExit) as leave:
            console.main()
        output = capsys.readouterr()
        return int(leave.value.code or 0), output.out, output.err

    return run


def test_as_text(command: Any, path: Path) -> None:
    status, out, err = command(path)
    record = read_record(path)
    assert (status, err) == (0, "")
    assert re.findall(r"^step (\d+)$", out, re.MULTILINE) == [
        str(line["step"]) for line in record.lines
    ]
    names = names_of(record.players)
    for game, line in zip(replay(record), [{"events": []}, *record.lines], strict=True):
        assert all(words_of(game).sentence(event, names) in out for event in line["events"])
    assert out.startswith(f"{record.header.game} v0, ")
    assert "game over" in out
    assert re.search(r"^the game is over: player_\d (Ann|<bot \d>) wins", out, re.MULTILINE)


def test_a_line_is_checked_before_an_agent_is_asked_beside_it() -> None:
    """A line without actions once ended in a traceback."""
    text = recorded(registry.batch_game("kododo", 1, seed=3))[0].text()
    wrong = parse_record(edited(text, 3, lambda line: line.pop("actions")))
    for show in (as_text, frames):
        with pytest.raises(ValueError, match=r"^line 3: missing field 'actions'"):
            [*show(wrong, make_agent("first", "kododo"))]


def test_what_an_agent_would_have_chosen(command: Any, path: Path) -> None:
    """The first legal action is shown where another one was played.

    Nothing is shown for forced choices and for equal cards, which are the same choice.
    """
    status, out, err = command(path, "--agent", "first")
    assert (status, err) == (0, "")
    record = read_record(path)
    decisions = 0
    expected = []
    for game, line in zip(replay(record), record.lines, strict=False):
        first_actions = game.legal_action_mask()[0].argmax(axis=1).tolist()
        decisions += int(game.deciding().sum())
        for seat, (action, played) in enumerate(zip(first_actions, line["actions"], strict=True)):
            words = words_of(game).describe_choice(action, seat)
            if words != words_of(game).describe_choice(played, seat):
                expected.append(words)
    assert (
        re.findall(r"^first for player_\d (?:Ann|<bot \d>): (.*)$", out, re.MULTILINE) == expected
    )
    last = f"first would have chosen differently in {len(expected)} of {decisions} decisions\n"
    assert out.endswith(last)
    assert command(path, "--out", path.with_suffix(".svg"), "--agent", "first") == (0, "", "")
    assert "(first: " in path.with_suffix(".svg").read_text()
    status, out, err = command(path, "--agent", "nobody")
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_a_moving_svg(command: Any, path: Path) -> None:
    out = path.with_suffix(".svg")
    assert command(path, "--out", out, "--seconds", "2") == (0, "", "")
    record = read_record(path)
    root = ElementTree.fromstring(out.read_text())
    pictures = root.findall(f"{SVG}g")
    assert len(pictures) == len(record.lines) + 1
    assert (root.get("width"), root.get("height")) == (str(WIDTH), str(height_of(record)))
    texts = [" ".join(picture.itertext()) for picture in pictures]
    for line, text in zip(record.lines, texts[1:], strict=True):
        assert all(words in text for words in line["words"])
    assert "Ann" in texts[0]
    assert "the game is over" in texts[-1]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_one_picture_is_seen_at_a_time(count: int) -> None:
    pictures = [
        f'<svg xmlns="http://www.w3.org/2000/svg"><text>{k}</text></svg>' for k in range(count)
    ]
    root = ElementTree.fromstring(animated_svg(pictures, 0.5, "a & b"))
    groups = root.findall(f"{SVG}g")
    assert [group.get("display") for group in groups] == ["none"] * (count - 1) + ["inline"]
    total = count - 1 + LAST_PICTURE
    for moment in range(total):
        visible = []
        for place, group in enumerate(groups):
            (animation,) = group.findall(f"{SVG}animate")
            assert animation.get("dur") == f"{total * 0.5:g}s"
            times = [float(time) for time in animation.get("keyTimes", "").split(";")]
            assert times[0] == 0
            assert times == sorted(times)
            before = [k for k, time in enumerate(times) if time <= (moment + 0.5) / total]
            if animation.get("values", "").split(";")[before[-1]] == "inline":
                visible.append(place)
        assert visible == [min(moment, count - 1)]


def test_a_gif(command: Any, tmp_path: Path) -> None:
    game = registry.batch_game("combi_combo", 1, seed=4)
    path = tmp_path / "game.jsonl"
    out = tmp_path / "game.GIF"
    recorded(game)[0].write(path)
    assert command(path, "--out", out) == (0, "", "")
    with Image.open(out) as moving:
        times = []
        for place in range(moving.n_frames):
            moving.seek(place)
            times.append(moving.info["duration"])
        assert moving.size == (WIDTH, height_of(read_record(path)))
        assert moving.info["loop"] == 0
    assert times == [1500] * 8 + [1500 * LAST_PICTURE]


def test_pictures_that_are_alike_keep_their_time() -> None:
    frame = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"/>'
    with Image.open(io.BytesIO(animated_gif([frame] * 3, 1))) as moving:
        duration = 0
        for place in range(getattr(moving, "n_frames", 1)):
            moving.seek(place)
            duration += moving.info["duration"]
    assert duration == 1000 * (2 + LAST_PICTURE)


def test_the_last_picture_is_shown_as_long_as_a_gif_can() -> None:
    """Three times 300 seconds once ended in a traceback."""
    frame = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"/>'
    with Image.open(io.BytesIO(animated_gif([frame], 300))) as image:
        assert image.info["duration"] == 655_350


def test_a_long_name_is_cut_in_the_picture() -> None:
    game = registry.batch_game("combi_combo", 1, seed=4)
    record = parse_record(recorded(game, players=["W" * 200, "b", "c", "d"])[0].text())
    for frame in frames(record):
        assert "W" * 96 not in "".join(ElementTree.fromstring(frame).itertext())


def test_a_picture_does_not_take_the_place_of_its_record(command: Any, path: Path) -> None:
    record = path.rename(path.with_name("game.svg"))
    before = record.read_text()
    status, out, error = command(record, "--out", record)
    assert (status, out) == (2, "")
    assert f"{record} is the record itself" in error
    assert record.read_text() == before


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("none.jsonl",), "cannot read record none.jsonl: No such file"),
        (("game.jsonl", "--out", "game.png"), "game.png must end with .svg or .gif"),
        (("game.jsonl", "--out", "none/game.svg"), "cannot write none/game.svg"),
        (("game.jsonl", "--out", "a.svg", "--seconds", "0"), "--seconds must be 0.01 to 3600"),
        (("game.jsonl", "--out", "a.svg", "--seconds", "1e-300"), "--seconds must be 0.01 to 3600"),
        (
            ("game.jsonl", "--out", "game.gif", "--seconds", "700"),
            "655",
        ),
        (("short.jsonl",), "short.jsonl, line 5: the record is truncated"),
        (("short.jsonl", "--out", "game.svg"), "short.jsonl, line 5: the record is truncated"),
        ((".",), "cannot read record .: Is a directory"),
        ((), ""),
    ],
)
def test_a_wrong_command_line_is_one_line(
    command: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, args: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = recorded(registry.batch_game("kododo", 1, seed=4), date=DATE)[0].text()
    Path("game.jsonl").write_text(text)
    Path("short.jsonl").write_text("".join(text.splitlines(keepends=True)[:5]))
    status, out, err = command(*args)
    assert (status, out) == (2, "")
    assert err.startswith("kododo replay: error: ")
    assert words in err
    assert err.count("\n") == 1
    assert sorted(map(str, Path().iterdir())) == ["game.jsonl", "short.jsonl"]
