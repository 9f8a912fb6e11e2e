"""Where the time goes: shares of the processor's time, by looking a thousand times a second.

What is looked at is which of some functions runs, the innermost of them if several do; what is
outside all of them does not count. Looking costs next to nothing, so that calls of Python cost
here what they cost elsewhere. Windows has no such timer.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pkgutil import resolve_name
from time import process_time
from types import CodeType, FrameType

from benchmarks.speed.decision import GAME, MANY_GAMES, POLICY, WORLDS, Decisions
from benchmarks.speed.figures import PLAYERS, Bench, LeftOut, Sample
from benchmarks.speed.tournament import FIELDS, played

EVERY = 0.001  # seconds
SECONDS = 5.0
"""How long each work is looked at, at least."""
OTHER = "other"
OUTSIDE = ""
BY_AGENT = "agents"
"""In place of functions: which agent chooses."""
DECIDING = {
    "the network": "kododo_env.policy.onnx_trial:answers_of",
    "the observation": "kododo_env.core.batch_game:BatchGame.observation_of",
    "the mask": "kododo_env.core.batch_game:BatchGame.legal_action_mask",
    OTHER: "kododo_env.policy.onnx_agent:OnnxAgent.act",
}
SEARCHING = {
    "rollouts": "kododo_env.search.search:_Search._play_out",
    "outcome model": "kododo_env.search.outcome_model:OutcomeModel.expected",
    "sampling worlds": "kododo_env.search.beliefs:likely_worlds",
    "first actions": "kododo_env.search.search:_Search._try_worlds",
    OTHER: "kododo_env.search.search:SearchAgent.act",
}
PLAYING = {
    "the games' steps": "kododo_env.core.batch_game:BatchGame.step",
    OTHER: "kododo_env.arena.duplicates:play_chunk",
    BY_AGENT: "",
}


def benches() -> Iterator[Bench]:
    """Decisions of a policy, of a search, and a tournament."""
    decide = partial(Decisions, game=GAME, players=PLAYERS)
    for name, places, make in (
        (f"{POLICY}, one position", DECIDING, partial(decide, POLICY, num=1)),
        (f"{POLICY}, {MANY_GAMES:,} positions", DECIDING, partial(decide, POLICY, num=MANY_GAMES)),
        (
            f"search:{POLICY}:{WORLDS}",
            SEARCHING,
            partial(decide, f"search:{POLICY}:{WORLDS}", num=1),
        ),
    ):
        yield Bench(f"profile/{name}", partial(looked_at, places, partial(decisions, make)), most=1)
    games = partial(played, "scripted", 2_000, 1)
    field = f"tournament of {', '.join(FIELDS['scripted'])}"
    yield Bench(f"profile/{field}", partial(looked_at, PLAYING, games), most=1)


def decisions(make: Callable[[], Decisions]) -> Callable[[], object]:
    """Some games' decisions, again and again."""
    return make().seconds


def looked_at(places: dict[str, str], make: Callable[[], Callable[[], object]]) -> Sample:
    """Percent of the processor's time by place, those with most first, the rest last."""
    if not hasattr(signal, "setitimer"):
        raise LeftOut("this system has no timer of the processor's time")
    work = make()
    work()  # what is fitted or loaded once does not count
    named = {resolve_name(where).__code__: place for place, where in places.items() if where}

    def sample() -> dict[str, float]:
        with looking(partial(place_of, named, BY_AGENT in places)) as seen:
            begun = process_time()
            while process_time() - begun < SECONDS:
                work()
        seen.pop(OUTSIDE, None)
        rest = seen.pop(OTHER, 0)
        found = [*seen.most_common(), (OTHER, rest)]
        return {place: 100 * count / (seen.total() + rest) for place, count in found}

    return sample


@contextmanager
def looking(place: Callable[[FrameType | None], str]) -> Iterator[Counter[str]]:
    """Inside, it is counted where the program is."""
    seen: Counter[str] = Counter()
    former = signal.signal(signal.SIGPROF, lambda number, frame: seen.update([place(frame)]))
    signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
    try:
        yield seen
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former)


def place_of(named: dict[CodeType, str], by_agent: bool, frame: FrameType | None) -> str:
    """The innermost place in which a frame is, OUTSIDE if in none."""
    while frame is not None:
        if frame.f_code in named:
            return named[frame.f_code]
        if by_agent and frame.f_code.co_name == "act":
            name: str = frame.f_locals["self"].name
            return name
        frame = frame.f_back
    return OUTSIDE
