"""Bots in Python by name, and the error messages about them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from kododo_env import make_agent, registry
from kododo_env.arena.head_to_head import Match
from kododo_env.bots import python_bot
from kododo_env.core import Agent, View
from kododo_env.core.agent import check_agents, joint_action
from kododo_env.table.factory import make_table
from tests.pages.scripts import blocks

ROOT = Path(__file__).parents[2]
GOOD = """
from dataclasses import dataclass
import numpy as np
from kododo_env.core.agent import ActionValueAgent

@dataclass
class Lowest:  # a dataclass looks up its module
    def act(self, view, rng):
        return view.legal_action_mask.argmax(axis=1)

def lowest(view, rng):
    return view.legal_action_mask.argmax(axis=1)

class Valuing(ActionValueAgent):
    name = "mine"
    def action_values(self, view):
        return -np.arange(view.num_actions)[:, None] * np.ones(view.num_envs)

class Alone:
    @staticmethod
    def act(view, rng):
        return view.legal_action_mask.argmax(axis=1)
    def action_values(self, view):
        return -np.arange(view.num_actions)[:, None] * np.ones(view.num_envs)
"""
BAD = """
import numpy as np

class NoAct: pass
class Needs:
    def __init__(self, depth): pass
    def act(self, view, rng): pass
class OneArgument:
    def act(self, view): pass
class Raises:
    def act(self, view, rng):
        return {}["nothing"]
class Leaves:
    def act(self, view, rng): raise SystemExit
class Illegal:
    def act(self, view, rng): return np.full(view.num_envs, 99)
class Ragged:
    def act(self, view, rng): return [[1], [2, 3]]
class Deep:
    name = "deep"
    def act(self, view, rng):
        return np.take_along_axis(view.legal_action_mask, np.zeros(3), axis=1)
class DeepWhenMade:
    def __init__(self): np.take_along_axis(np.zeros(3), np.zeros(3), axis=1)
    def act(self, view, rng): pass
class Wide:
    name = "wide"
    def act(self, view, rng): return view.legal_action_mask
class Five:
    name = 5
    def act(self, view, rng): pass
class Checks:
    def check(self, game): raise KeyError("no such game")
    def act(self, view, rng): pass
class Late:
    def act(self, view, rng):
        while True: pass
class Narrow:
    def act(self, view, rng): return view.legal_action_mask.argmax(axis=1)
    def probabilities(self, view): return np.ones((view.num_envs, 3))
    def value(self, view): return "much"
class WordlessError(Exception):
    def __str__(self): raise KeyError("no words")
class Wordless:
    def act(self, view, rng): raise WordlessError
class OutsideError(BaseException): pass
class Outside:
    def act(self, view, rng): raise OutsideError
class WordlessOutsideError(BaseException):
    def __str__(self): raise OutsideError
class WordlessOutside:
    def act(self, view, rng): raise WordlessOutsideError
class NoArray:
    def __init__(self, error): self.error = error
    def __array__(self, *args, **named): raise self.error
    def __repr__(self): raise KeyError("no words")
def hides(view, rng): return NoArray(KeyError("no array"))
def hides_outside(view, rng): return NoArray(OutsideError())
def hides_in_list(view, rng): return [NoArray(KeyError("no array"))] * view.num_envs
class Asynchronous:
    async def act(self, view, rng): return view.legal_action_mask.argmax(axis=1)
async def later(view, rng): return view.legal_action_mask.argmax(axis=1)
def decorated(view, rng): return later(view, rng)
class ChecksLater:
    async def check(self, game): pass
    def act(self, view, rng): pass
class Nameless:
    @property
    def name(self): raise KeyError("no name")
    def act(self, view, rng): pass
def three(view, rng): return [1, 2, 3]
def none(view, rng): return None
number = 5
"""
CLOSED = """
def __getattr__(name): raise KeyError(name)
class Kind(type):
    def __getattr__(self, name): raise KeyError(name)
class Closed(metaclass=Kind):
    pass
"""
WRONG = [
    ("none.py:Bot", "bot {}: file not found: "),
    ("bad.py", "bot {}: expected bot.py:Name"),
    ("bad.py:Bot", "bot {}: no Bot in .*; candidates: Needs, OneArgument, Raises, .*three, none; "),
    ("bad.py:number", "bot {}: no number in "),
    ("bad.py:NoAct", "bot {}: NoAct has no method act"),
    ("bad.py:Needs", r"bot {} cannot be created: TypeError: .*'depth' \(python_bot.py, line "),
    ("bad.py:OneArgument", "bot {} cannot be created: TypeError: too many positional arguments"),
    ("bad.py:Raises", r"bot {} fails: KeyError: 'nothing' \(bad.py, line 12\)"),
    ("bad.py:Leaves", r"bot {} fails: SystemExit \(bad.py, "),
    ("bad.py:Ragged", "bad.py:Ragged' must be an array of integers"),
    ("bad.py:Deep", r"bot {} fails: IndexError: .*\(bad.py, line \d+\)"),
    ("bad.py:DeepWhenMade", r"bot {} cannot be created: AxisError: .*\(bad.py, line \d+\)"),
    ("bad.py:Wide", "bad.py:Wide' must be integers.*bool"),
    ("bad.py:Five", "bot {}: attribute name must be a string, not 5"),
    ("bad.py:Checks", r"bot {} cannot play this game: KeyError: .*\(bad.py, line \d+\)"),
    ("bad.py:Illegal", "bot {} chose illegal action 99 as player_0; legal actions: 5, 6, "),
    ("bad.py:three", r"bad.py:three'.* 2 actions.* \(3,\)"),
    ("bad.py:none", "bad.py:none' must be integers.*object"),
    ("bad.py:Wordless", r"bot {} fails: WordlessError \(bad.py, line \d+\)$"),
    ("bad.py:Outside", r"bot {} fails: OutsideError \(bad.py, line \d+\)$"),
    ("bad.py:WordlessOutside", r"bot {} fails: WordlessOutsideError \(bad.py, line \d+\)$"),
    ("bad.py:hides", "bot {}: .* must be an array of integers, not NoArray that cannot be shown"),
    ("bad.py:hides_outside", r"bot {} fails: OutsideError \(bad.py, line \d+\)$"),
    ("bad.py:hides_in_list", "bot {}: .* must be an array of integers, not list that cannot be"),
    ("bad.py:Asynchronous", "bot {}: Asynchronous is asynchronous; use def"),
    ("bad.py:later", "bot {}: later is asynchronous"),
    ("bad.py:decorated", "bot {}: act is asynchronous"),
    ("bad.py:ChecksLater", "bot {}: check is asynchronous"),
    ("bad.py:Nameless", r"bot {} cannot be created: KeyError: 'no name' \(bad.py, line \d+\)$"),
    ("closed.py:Closed", r"bot {} cannot be created: KeyError: 'act' \(closed.py, line \d+\)$"),
    ("bad.py:Late:0.1s", "bot {} as player_0 did not respond within 0.1 s per game$"),
    ("bad.py:Late:0s", "bot {}: .*limit must be greater than 0"),
    ("hangs.py:Bot", "bot {} did not load within 0.1 s$"),
    ("closed.py:Bot", r"bot {} cannot be created: KeyError: 'Bot' \(closed.py, line \d+\)$"),
    ("broken.py:Bot", r"bot {} cannot be imported: SyntaxError: [^()]*\(broken.py, line 1\)$"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "broken.py").write_text("this is no code")
    (tmp_path / "hangs.py").write_text("while True: pass")
    (tmp_path / "closed.py").write_text(CLOSED)
    return tmp_path


@pytest.mark.parametrize(
    "code_name", ["good.py:Lowest", "good.py:lowest", "good.py:Valuing", "good.py:Alone"]
)
def test_a_class_or_a_function_of_a_file_plays_in_several_processes(
    code_name: str, folder: Path
) -> None:
    bot = str(folder / code_name)
    arguments = ("random", "kododo", 2, 20)
    assert (
        Match(bot, *arguments, least_chunks=2).play(2)
        == Match("first", *arguments, least_chunks=2).play()
    )
    assert make_agent(bot, "kododo").name == ("mine" if "Valuing" in code_name else bot)
    assert not (folder / "__pycache__").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_file_may_have_a_name_that_is_no_text(folder: Path) -> None:
    """Regression: the error was reported as the bot's own."""
    bot = folder / "b\udcff.py"
    bot.write_text(GOOD)
    try:
        make_agent(f"{bot}:lowest", "kododo")
    except ValueError as error:  # pytest cannot print the name itself
        pytest.fail(ascii(error), pytrace=False)


def test_a_bot_of_a_module_sits_in_environments_at_tables_and_under_searches(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(folder)
    env = gymnasium.make("kododo_env:kododo/Kododo-v0", num_players=2, opponents="good:Lowest")
    env.reset(seed=0)
    over = False
    while not over:
        _, _, over, _, _ = env.step(0)
    table = make_table("kododo", 3, ["good:Valuing"], hints="good:Valuing", seed=0)
    assert [player["name"] for player in table.talk(0, {"type": "look"})[0][0]["players"]] == [
        "person", "mine", "mine",
    ]  # fmt: skip
    hint = table.talk(0, {"type": "hint", "step": 0})[0][0]
    assert (hint["by"], hint["actions"][0]["action"]) == ("mine", 5)
    view = registry.batch_game("kododo", 1, 0, num_players=2).view(0)
    searching = make_agent("search:good:Lowest:2", "kododo")
    assert view.legal_action_mask[0, searching.act(view, np.random.default_rng(0))[0]]


@pytest.mark.parametrize(("bot", "message"), WRONG)
def test_a_wrong_bot_is_named_with_what_is_wrong(
    bot: str, message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if bot.startswith("hangs"):
        monkeypatch.setattr(python_bot, "LOADING", 0.1)
    game = registry.batch_game("kododo", 2, 0, num_players=2)
    name = str(folder / bot)

    def play() -> None:
        agent = make_agent(name, "kododo")
        check_agents(game, [agent])
        joint_action([agent, None], game, np.random.default_rng(0))

    with pytest.raises(ValueError, match=message.format(name)) as raised:
        play()
    assert len(str(raised.value).splitlines()) == 1


def test_what_others_ask_of_a_bot_is_blamed_on_it(folder: Path) -> None:
    """Regression: a hint ended the table with a traceback."""
    code = GOOD.replace("return -np", "return {}['nothing']; -np")
    (folder / "good.py").write_text(f"{code}\nfrom functools import partial\nlow = partial(lowest)")
    name = f"{folder}/good.py:Valuing"
    table = make_table("kododo", 3, hints=name, seed=0, pictures=False)
    hint = table.talk(0, {"type": "hint", "step": 0})[0][0]
    assert re.fullmatch(
        rf"bot {name} fails: KeyError: 'nothing' \(good.py, line 17\)", hint["error"]
    )
    partly = make_agent(f"{folder}/good.py:low", "kododo")
    view = registry.batch_game("kododo", 2, 0, num_players=2).view(0)
    assert partly.act(view, np.random.default_rng(0)).tolist() == [5, 5]


def test_a_bot_that_knows_values_and_chooses_by_something_else_gives_hints(folder: Path) -> None:
    """Regression: it also needed an undocumented method ``choose``."""
    name = f"{folder}/good.py:Alone"
    table = make_table("kododo", 3, hints=name, seed=0, pictures=False)
    hint = table.talk(0, {"type": "hint", "step": 0})[0][0]
    assert (hint["by"], hint["actions"][0]["action"]) == (name, 5)


@pytest.mark.parametrize(
    ("method", "shape"),
    [("probabilities", r"\(2, 15\), not float64 \(2, 3\)"), ("value", r"\(2,\), not <U4 \(\)")],
)
def test_numbers_of_another_shape_are_blamed_on_the_bot(
    method: str, shape: str, folder: Path
) -> None:
    bot: Any = make_agent(f"{folder}/bad.py:Narrow", "kododo")
    view = registry.batch_game("kododo", 2, 0, num_players=2).view(0)
    with pytest.raises(
        ValueError, match=rf"^bot .*Narrow fails: ValueError: {method} .* numbers of shape {shape}"
    ):
        getattr(bot, method)(view)


@pytest.mark.parametrize("name", ["builtins:print", "search:builtins:print:1", "sys:exit"])
def test_a_module_without_a_file_has_bots_like_others(name: str) -> None:
    """Regression: the command ended with a traceback."""
    view = registry.batch_game("kododo", 2, 0, num_players=2).view(0)
    with pytest.raises(ValueError, match=r"^bot "):
        make_agent(name, "kododo").act(view, np.random.default_rng(0))


def test_a_bot_that_never_answers_is_told_at_a_table_whatever_thread_serves_it(
    folder: Path,
) -> None:
    """Regression: the table waited for ever."""
    table = make_table("kododo", 2, [f"{folder}/bad.py:Late:0.1s"], seed=0, pictures=False)
    table.hear(0, {"type": "act", "step": 0, "action": 5})
    with (
        ThreadPoolExecutor(1) as threads,
        pytest.raises(ValueError, match=r"^bot .*Late:0.1s as player_1 did not respond"),
    ):
        threads.submit(table.play_on).result()


def test_an_interrupt_in_a_worker_is_the_bot_s_own(folder: Path) -> None:
    """Regression: the worker ended with a traceback. Ctrl-C only concerns the main process."""
    (folder / "stops.py").write_text("def bot(view, rng): raise KeyboardInterrupt('no more')")
    match = Match(f"{folder}/stops.py:bot", "random", "kododo", 2, 8, least_chunks=2)
    with pytest.raises(ValueError, match="bot fails: KeyboardInterrupt: no more"):
        match.play(2)


def test_a_name_with_a_limit_is_that_of_a_search_s_policy_too(folder: Path) -> None:
    view = registry.batch_game("kododo", 1, 0, num_players=2).view(0)
    with pytest.raises(ValueError, match=r"did not respond within 0.1 s"):
        make_agent(f"search:{folder}/bad.py:Late:0.1s:2", "kododo").act(
            view, np.random.default_rng(0)
        )


def test_a_file_too_large_for_a_bot_is_not_read(folder: Path) -> None:
    with (folder / "large.py").open("wb") as file:
        file.truncate(1 << 25)
    with pytest.raises(ValueError, match="bytes, at most"):
        make_agent(f"{folder}/large.py:Bot", "kododo")


def test_a_module_that_is_not_there_is_told(folder: Path) -> None:
    with pytest.raises(ValueError, match="such:Bot cannot be imported: ModuleNotFoundError"):
        make_agent("no.such:Bot", "kododo")


def test_the_bot_of_the_page_plays_and_the_first_and_last_action_win_what_it_says(
    tmp_path: Path,
) -> None:
    page = (ROOT / "docs/bots.md").read_text()
    for number, block in enumerate(blocks("python", page)):
        (tmp_path / f"bot{number}.py").write_text(block)
        bot = f"{tmp_path}/bot{number}.py:Bot"
        assert Match(bot, "random", "kododo", 4, 40).play().share.low < 0.25
    match = re.search(r"`first` wins (\d+) % [\w\s]* and `last` (\d+) %", page)
    assert match is not None
    for name, share in zip(("first", "last"), match.groups(), strict=True):
        won = Match(name, "random", "kododo", 4, 8000).play().share
        assert won.low < int(share) / 100 < won.high


@pytest.mark.parametrize(("name", "place"), [("first", 0), ("last", -1)])
def test_the_first_and_the_last_legal_action_have_names(name: str, place: int) -> None:
    agent: Agent = make_agent(name, "kado")
    view: View = registry.batch_game("kado", 5, 0, num_players=3).view(0)
    assert agent.name == name
    expected = [np.flatnonzero(mask)[place] for mask in view.legal_action_mask]
    assert agent.act(view, np.random.default_rng(0)).tolist() == expected


@pytest.mark.parametrize("command", ["evaluate --workers 1", "evaluate --workers 2", "contest"])
def test_a_command_does_not_wait_for_the_threads_of_a_bot(command: str, tmp_path: Path) -> None:
    """Regression: the command never ended."""
    (tmp_path / "bot.py").write_text(
        "from threading import Thread\nfrom time import sleep\n"
        "class Bot:\n"
        "    def __init__(self): Thread(target=sleep, args=(100_000,)).start()\n"
        "    def act(self, view, rng): return view.legal_action_mask.argmax(axis=1)\n"
    )
    options = {
        "evaluate": "--players 2 --games 80 --agents random bot.py:Bot",
        "contest": ". --players 2 --games 80",
    }
    words = [*command.split(), *options[command.partition(" ")[0]].split()]
    done = subprocess.run(
        [sys.executable, "-m", "kododo_env", *words], capture_output=True, text=True, check=False,
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "bot.py" in done.stdout
